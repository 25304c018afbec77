import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemOf } from '../../src/server/problems';

const SAID: readonly (readonly [string, string])[] = [
  ['store_stub', 'Python was not found; run without arguments to install from the Microsoft Store, or disable this shortcut from Settings > Apps > Advanced app settings > App execution aliases.'],
  ['venv_missing', "The virtual environment was not created successfully because ensurepip is not\navailable.  On Debian/Ubuntu systems, you need to install the python3-venv\npackage using the following command.\n\n    apt install python3.11-venv"],
  ['venv_missing', "/usr/bin/python3: No module named venv"],
  ['proxy', "WARNING: Retrying (Retry(total=0)) after connection broken by 'ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 407 Proxy Authentication Required'))': /simple/apsw/\nERROR: No matching distribution found for apsw"],
  ['certificate', 'Could not fetch URL https://index.invalid/simple/apsw/: There was a problem confirming the ssl certificate: SSLError(SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed"))\nERROR: No matching distribution found for apsw'],
  ['no_network', "WARNING: Retrying after connection broken by 'NewConnectionError: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution'\nERROR: Could not find a version that satisfies the requirement apsw\nERROR: No matching distribution found for apsw"],
  ['no_network', 'error: Failed to fetch: `https://index.invalid/simple/apsw/`\n  Caused by: dns error: failed to lookup address information'],
  ['python_old', "ERROR: Package 'postil' requires a different Python: 3.9.2 not in '>=3.11'"],
  ['python_old', '× No interpreter found for Python >=3.11 in managed installations or search path'],
  ['no_package', 'ERROR: Could not find a version that satisfies the requirement apsw<4,>=3.54 (from postil)\nERROR: No matching distribution found for apsw<4,>=3.54'],
  ['disk_full', "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"],
  ['not_writable', "ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/x'"],
  ['failed', 'Traceback (most recent call last):\nValueError: what nobody foresaw'],
];

for (const [code, output] of SAID) {
  test(`${code}: ${output.slice(0, 50).replace(/\s+/g, ' ')}`, () => assert.equal(problemOf(output).code, code));
}

test('the detail is the last lines, where the reason stands', () => {
  assert.equal(problemOf('one\ntwo\n\nthree\nfour\nfive\n').detail, 'two\nthree\nfour\nfive');
});
