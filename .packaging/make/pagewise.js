#!/usr/bin/env node
// Starts the program of this platform's package.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const platform = `${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "pagewise.exe" : "pagewise";

function locate() {
  try {
    return require.resolve(`@pagewise/${platform}/${file}`);
  } catch {
    console.error(`pagewise: no program for ${platform}. Install without --omit=optional, or build it from source.`);
    process.exit(2);
  }
}

const child = spawn(locate(), process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`pagewise: ${error.message}`);
  process.exit(2);
});
child.on("exit", (status, signal) => process.exit(signal ? 128 + constants.signals[signal] : status));
