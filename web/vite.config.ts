import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const out = "../src/longtable/console/static";
const server = process.env.LONGTABLE_URL ?? "http://127.0.0.1:8765";

/** Leaves a compressed twin beside each asset, so that the server sends it as it is. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    closeBundle() {
      const folder = join(import.meta.dirname, out, "assets");
      for (const name of readdirSync(folder)) {
        writeFileSync(join(folder, `${name}.gz`), gzipSync(readFileSync(join(folder, name)), { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), compressed()],
  resolve: {
    alias: {
      "@": join(import.meta.dirname, "src"),
      // The package's own version for browsers writes to innerHTML, which Trusted Types refuse.
      "decode-named-character-reference": join(import.meta.dirname, "src/parts/entities.ts"),
    },
  },
  css: { modules: { generateScopedName: "[hash:base64:5]" } },
  build: {
    outDir: out,
    emptyOutDir: true,
    target: "es2023",
    minify: "terser",
    terserOptions: { compress: { passes: 2 } },
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // Few files compress better than many: one for the frame, one for each page, and three that not every page needs.
    cssCodeSplit: false,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: {
          groups: [
            {
              name: "frame",
              test: /node_modules\/(react|react-dom|scheduler|@tanstack|@radix-ui|wouter|lucide-react)\/|src\/(api|live|shell)\/|src\/parts\/(?!Markdown|gfm|Code|languages|Diff|difference)/,
            },
            { name: "graph", test: /dagre/ },
            { name: "colours", test: /highlight\.js|src\/parts\/languages/ },
            {
              name: "markdown",
              test: /micromark|mdast|hast|unified|remark|rehype|vfile|src\/parts\/(Markdown|gfm|Code)/,
            },
          ],
        },
      },
    },
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { "^/(?!src|@|node_modules|favicon).+": { target: server } } },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    // A browser and all modules for each file take ten times as long as the tests. What a test puts in their place is
    // taken away after it.
    isolate: false,
    setupFiles: ["src/emptyDocument.ts"],
    unstubGlobals: true,
    restoreMocks: true,
  },
});
