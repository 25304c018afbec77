// Each problem in words: what is wrong, and what to do.

import { l10n } from 'vscode';
import { OLDEST } from './environment';
import { Problem } from './problems';

export function said({ code, detail }: Problem): string {
  const oldest = OLDEST.join('.');
  switch (code) {
    case 'path_relative':
      return l10n.t('"{0}" is a relative path. Give the absolute path: a relative one could be a program of the open folder.', detail);
    case 'path_missing':
      return l10n.t('There is no program at {0}. Mend or clear the setting postil.server.path.', detail);
    case 'not_found':
      return l10n.t('Postil\'s server is not set up yet. One button makes a private environment for it.');
    case 'no_wheel':
      return l10n.t('This build of the extension carries no server. Install the server with pip and name it in postil.server.path.');
    case 'python_missing':
      return l10n.t('No Python was found. Install Python {0} or newer, or uv, and try again; or name one in postil.server.interpreter.', oldest);
    case 'python_old':
      return detail.includes('\n') // what an installer printed, and no interpreter
        ? l10n.t('A newer Python is needed than the one that was found. Install one, or name one in postil.server.interpreter.')
        : l10n.t('Python {1} or newer is needed, and {0} is older. Install a newer one, or name one in postil.server.interpreter.', detail, oldest);
    case 'store_stub':
      return l10n.t('{0} is only the Microsoft Store\'s placeholder. Install Python {1} or newer from python.org or with winget, or switch the alias off in "Manage app execution aliases".', detail, oldest);
    case 'interpreter_wrong':
      return l10n.t('{0} is no Python that can be run. Mend or clear the setting postil.server.interpreter.', detail);
    case 'venv_missing':
      return l10n.t('This Python has no venv module. On Debian and Ubuntu: sudo apt install python{0}-venv', /^\d+\.\d+$/.test(detail) ? detail : '3');
    case 'proxy':
      return l10n.t('The proxy refused the download. Check the setting http.proxy, or HTTPS_PROXY with user and password.');
    case 'certificate':
      return l10n.t('The certificate of the package index is not trusted here. Behind a company\'s proxy, set SSL_CERT_FILE or PIP_CERT to its certificate.');
    case 'no_network':
      return l10n.t('The package index can\'t be reached. Postil needs the network once, to set up its server; check the connection and try again.');
    case 'no_package':
      return l10n.t('The package index has no package that fits this system: {0}', detail);
    case 'disk_full':
      return l10n.t('The disk is full. About 500 MB are needed for the server.');
    case 'not_writable':
      return l10n.t('The extension\'s storage can\'t be written: {0}', detail);
    case 'cancelled':
      return l10n.t('Setting up was stopped. Nothing was left behind.');
    case 'failed':
      return l10n.t('Setting up failed: {0}', detail);
  }
}
