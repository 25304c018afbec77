// The script of the pages that are made anew while they are seen: only what changed is put in, so that focus, selection and
// a screen reader's place stay. It takes its page from the extension alone and decides nothing.

const vscode = acquireVsCodeApi();

window.addEventListener('message', ({ data }: MessageEvent<{ readonly body: string }>) => {
  const focused = document.activeElement?.getAttribute('href');
  patch(document.getElementById('page')!, new DOMParser().parseFromString(data.body, 'text/html').body);
  if (focused && document.activeElement === document.body) { // its part of the page was made anew
    [...document.querySelectorAll('a')].find((link) => link.getAttribute('href') === focused)?.focus({ preventScroll: true });
  }
});

/** Make the children of `shown` those of `wanted`; what has the same shape is kept and its texts are set. */
function patch(shown: Node, wanted: Node): void {
  const [old, given] = [[...shown.childNodes], [...wanted.childNodes]];
  given.forEach((node, at) => {
    const there = old[at];
    if (!there) {
      shown.appendChild(node);
    } else if (there instanceof Text && node instanceof Text) {
      if (there.data !== node.data) {
        there.data = node.data;
      }
    } else if (there.cloneNode(false).isEqualNode(node.cloneNode(false))) {
      patch(there, node);
    } else {
      shown.replaceChild(node, there);
    }
  });
  old.slice(given.length).forEach((node) => shown.removeChild(node));
}

vscode.postMessage('ready');
