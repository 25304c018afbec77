#!/usr/bin/env bash
# What the tests in the real editor need, once a machine: VS Code's own server out of the npm package code-server (it runs
# on Node 20; 320 MB in ~/.cache/postil-test) and Chromium. What can't be had is said, and those tests are skipped.
set -euo pipefail

VERSION=4.100.3 # VS Code 1.100.3; newer ones need Node 22
DEST=${POSTIL_TEST_EDITOR:-${XDG_CACHE_HOME:-$HOME/.cache}/postil-test/code-server-$VERSION}

skip() {
  echo "the tests in VS Code are skipped: $1"
  exit 0
}

# Debian's packages, where they are missing and may be installed: NAME-OF-PROGRAM PACKAGE …
need() {
  command -v "$1" >/dev/null && return
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || skip "there is no $1, and without root and apt it can't be installed here"
  { apt-get install -y -qq --no-install-recommends "${@:2}" || { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${@:2}"; }; } >/dev/null 2>&1 ||
    skip "apt can't install $2"
}

command -v npm >/dev/null || skip "there is no Node with npm; on Debian: apt install nodejs npm"
need chromium chromium
[ -e "$DEST/.complete" ] && exit 0
need rg ripgrep
need g++ g++ make
need python3 python3

echo "installing VS Code's server into $DEST, once"
rm -rf "$DEST"
mkdir -p "$DEST"
cd "$DEST"
export npm_config_nodedir=${NODEDIR:-/usr} npm_config_yes=true npm_config_audit=false npm_config_fund=false
install() {
  npm init -y
  # without scripts: argon2 and ripgrep would download programs
  npm install --ignore-scripts --omit=dev --no-save "code-server@$VERSION"
  cd node_modules/code-server/lib/vscode
  npm install --ignore-scripts --omit=dev
  local built=()
  for name in @vscode/spdlog native-watchdog @vscode/native-watchdog node-pty @vscode/sqlite3; do
    [ -d "node_modules/$name" ] && built+=("$name")
  done
  npm rebuild "${built[@]}"
  mkdir -p node_modules/@vscode/ripgrep/bin
  ln -sf "$(command -v rg)" node_modules/@vscode/ripgrep/bin/rg
  ln -sfn node_modules node_modules.asar
  cd extensions
  npm install --ignore-scripts --omit=dev
}
install >"$DEST/install.log" 2>&1 || skip "its installation failed; $DEST/install.log says why"
touch "$DEST/.complete"
