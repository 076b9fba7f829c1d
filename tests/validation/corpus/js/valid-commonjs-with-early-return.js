"use strict";

const { existsSync, readFileSync } = require("node:fs");

if (!existsSync("settings.json")) {
  module.exports = {};
  return;
}

module.exports = JSON.parse(readFileSync("settings.json", "utf8"));
