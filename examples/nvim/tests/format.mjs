// Checks that the Lua files are formatted as stylua does it: node format.mjs STYLUA-MODULE [--write] FILE...
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const [module, ...rest] = process.argv.slice(2);
const files = rest.filter((name) => name !== "--write");
const stylua = createRequire(import.meta.url)(module);

// The settings of .stylua.toml. The formatter takes them away with each call.
function settings() {
  const config = stylua.Config.new();
  config.column_width = 120;
  config.indent_type = stylua.IndentType.Spaces;
  config.indent_width = 2;
  config.quote_style = stylua.QuoteStyle.AutoPreferDouble;
  config.syntax = stylua.LuaVersion.LuaJIT;
  return config;
}

let different = 0;
for (const file of files) {
  const before = readFileSync(file, "utf8");
  const after = stylua.formatCode(before, settings(), undefined, stylua.OutputVerification.None);
  if (after !== before) {
    if (rest.includes("--write")) writeFileSync(file, after);
    else console.log(`not formatted: ${file}`);
    different += 1;
  }
}
process.exit(different && !rest.includes("--write") ? 1 : 0);
