// Bundles the extension (node) and the scripts of its pages (browser); with --tests, what is tested as well.
import { build } from 'esbuild';
import { readdirSync } from 'node:fs';

const tests = process.argv.includes('--tests');
const node = { bundle: true, platform: 'node', format: 'cjs', target: 'node20', external: ['vscode'], logLevel: 'warning' };
const listed = (folder, ending) => readdirSync(folder).filter((name) => name.endsWith(ending)).map((name) => `${folder}/${name}`);

await build({ ...node, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js', minify: true, sourcemap: tests });
await build({
  bundle: true, platform: 'browser', format: 'iife', target: 'es2022', minify: true, logLevel: 'warning',
  entryPoints: ['src/webview/answer.ts', 'src/webview/live.ts'], outdir: 'dist',
});
if (tests) {
  await build({ ...node, entryPoints: listed('test/unit', '.test.ts'), outdir: 'dist/test/unit', sourcemap: 'inline' });
  await build({ ...node, entryPoints: ['test/host/index.ts'], outfile: 'dist/test/host/index.js', sourcemap: 'inline' });
}
