// Compiles Relay's graphql tags when a module is loaded, as a bundler's plugin does. Types are left to Node.
import { transformSync } from "@babel/core";
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

registerHooks({
  resolve(specifier, context, nextResolve) {
    return nextResolve(specifier.endsWith(".graphql") ? `${specifier}.ts` : specifier, context);
  },
  load(url, context, nextLoad) {
    if (!/\/relay(_kept)?\/[^/]+\.ts$/.test(url)) return nextLoad(url, context);
    const filename = fileURLToPath(url);
    const { code } = transformSync(readFileSync(filename, "utf8"), {
      filename,
      babelrc: false,
      configFile: false,
      parserOpts: { plugins: ["typescript"] },
      plugins: [["relay", { eagerEsModules: true }]],
    });
    return { format: "module-typescript", source: code, shortCircuit: true };
  },
});
