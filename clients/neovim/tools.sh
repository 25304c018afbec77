#!/bin/sh
# Installs what the plugin's specs and linters need, where this may be done. What is missing is said, and skipped.
cd "$(dirname "$0")" || exit 1

if [ ! -e node_modules/.bin/stylua ] && command -v npm >/dev/null; then
  npm ci --no-audit --no-fund --silent || echo "npm could not install stylua"
fi
[ -e node_modules/.bin/stylua ] || echo "there is no stylua: the plugin's format is not checked; it needs Node with npm"

missing=""
[ -e /usr/share/lua/5.1/busted/runner.lua ] || missing="lua-busted"
command -v luacheck >/dev/null || missing="$missing lua-check"
if [ -n "$missing" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  # shellcheck disable=SC2086
  { apt-get -qq install -y --no-install-recommends $missing ||
    { apt-get -qq update && apt-get -qq install -y --no-install-recommends $missing; }; } >/dev/null 2>&1 && missing=""
fi
[ -z "$missing" ] || echo "the plugin's specs or its linter are skipped; on Debian: apt install $missing"
exit 0
