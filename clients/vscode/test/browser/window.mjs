// A window of the editor, used with mouse and keyboard as a person does.

import assert from 'node:assert/strict';

export const PATIENCE_MS = 60_000;

/** Nothing below runs, loads or leads anywhere: no element that could, no attribute that is a handler or an address. */
export async function harmless(locator) {
  const made = await locator.evaluate((node) => [...node.querySelectorAll('*')].map((each) => [each.tagName, ...[...each.attributes].map(({ name, value }) => `${name}=${value}`)]));
  const elements = /^(A|BLOCKQUOTE|BR|BUTTON|CODE|DEL|DIV|EM|H[1-6]|HR|LI|MARK|OL|P|PRE|S|SPAN|STRONG|TABLE|TBODY|TD|TH|THEAD|TR|UL)$/;
  const attributes = /^(class=|role=|title=|type=button$|aria-|data-source=\d+$|start=|href=#$)/;
  assert.deepEqual(made.filter(([tag, ...given]) => !elements.test(tag) || !given.every((each) => attributes.test(each))), []);
}

export class Window {
  constructor(page, folder) {
    this.page = page;
    this.folder = folder; // for pictures
    this.input = page.locator('.quick-input-widget input').first();
    this.bar = page.locator('.statusbar-item[id*="postil"]').first();
  }

  async goto(address) {
    await this.page.goto(address);
    await this.page.locator('.monaco-workbench').waitFor({ timeout: PATIENCE_MS });
    await this.page.locator('.explorer-folders-view').waitFor({ timeout: PATIENCE_MS });
  }

  /** Waits until the status bar's item says so. */
  async barSays(text, timeout = PATIENCE_MS) {
    await this.bar.filter({ hasText: text }).waitFor({ timeout });
  }

  async barTip(text, timeout = PATIENCE_MS) {
    await this.page.waitForFunction(
      (said) => [...document.querySelectorAll('.statusbar-item[id*="postil"]')].some((item) => (item.getAttribute('aria-label') ?? '').includes(said)),
      text, { timeout, polling: 100 },
    );
  }

  rows(text) {
    return this.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: text });
  }

  async pick(prefix, text, row = text) {
    await this.input.waitFor();
    await this.input.fill(prefix + text);
    await this.rows(row).first().waitFor({ timeout: PATIENCE_MS });
    await this.page.keyboard.press('Enter');
  }

  async command(title) {
    await this.page.keyboard.press('F1');
    await this.pick('>', title);
  }

  /** Into a box that asks for a text; the palette that it takes the place of has a list. */
  async type(text) {
    await this.page.waitForFunction(() => {
      const widget = document.querySelector('.quick-input-widget');
      return widget?.checkVisibility() && !widget.querySelector('.quick-input-list')?.checkVisibility();
    }, undefined, { timeout: PATIENCE_MS, polling: 50 });
    await this.input.fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** Quick Open answers only once the extension host is up. */
  async open(name, line) {
    await this.page.keyboard.press('Control+P');
    await this.pick('', name);
    await this.page.locator('.tab.active').filter({ hasText: name.split('/').at(-1) }).first().waitFor({ timeout: PATIENCE_MS });
    if (line !== undefined) {
      await this.page.keyboard.press('Control+G');
      await this.pick(':', String(line), /line/i);
    }
  }

  /** The place of a text of the editor on the screen, once it is there. */
  async place(text) {
    const found = await this.page.waitForFunction((wanted) => {
      for (const line of document.querySelectorAll('.view-line')) {
        const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          const at = node.data.replace(/\u00a0/g, ' ').indexOf(wanted);
          if (at >= 0) {
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + wanted.length);
            const box = range.getBoundingClientRect();
            return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
          }
        }
      }
      return null;
    }, text, { timeout: PATIENCE_MS, polling: 100 });
    return found.jsonValue();
  }

  /** Lenses that come later move the lines: then the mouse goes after them. */
  async hover(text, expected, patience = 3000) {
    const shown = this.page.locator('.monaco-hover:visible').filter({ hasText: expected }).first();
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; ) {
      const { x, y } = await this.place(text);
      await this.page.mouse.move(x - 30, y + 60);
      await this.page.mouse.move(x, y, { steps: 5 });
      if (await shown.waitFor({ timeout: patience }).then(() => true, () => false)) {
        return shown;
      }
    }
    throw new Error(`no hover over "${text}" shows ${expected}`);
  }

  /** The page inside the newest webview. */
  webview(marker) {
    return this.page.frameLocator('iframe.webview.ready').last().frameLocator('iframe#active-frame').locator(marker);
  }

  async picture(name) {
    await this.page.screenshot({ path: `${this.folder}/${name}.png` });
  }
}
