/** Plays the scenarios that all clients share: `node conformance.js SERVER CONTROL SCENARIOS`, addresses and a file.
 * Prints one line of JSON for each: its name, and what was wrong. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { ConnectionLost, LongtableError, Orchestrator, Workspace } from "longtable-client";

const LIMIT_MS = 60_000;
const LINK = { attempts: 60, reconnects: 200, firstWaitMs: 50, longestWaitMs: 1_000 };
const [server = "", control = "", scenarios = ""] = process.argv.slice(2);

/** @typedef {Record<string, any>} Step */

/** Events are only asked for when somebody waits for the next one: this asks at once. */
class Heard {
  /** @param {AsyncGenerator<import("longtable-client").TableEvent, void>} events */
  constructor(events) {
    this.events = events;
    this.coming = this.ask();
  }

  ask() {
    const coming = this.events.next();
    coming.catch(() => {});
    return coming;
  }

  async next() {
    const result = await this.coming;
    this.coming = this.ask();
    return result;
  }
}

class Player {
  boss = Orchestrator.open(server, { link: LINK });
  session = "";
  /** @type {Record<string, unknown>} */
  saved = {};
  /** @type {Map<string, Workspace>} */
  places = new Map();
  /** @type {Map<string, Promise<unknown>>} */
  started = new Map();
  /** @type {Map<string, Heard>} */
  listeners = new Map();
  end = new AbortController();

  /**
   * @param {string} purpose
   * @param {Step[]} steps
   */
  async plays(purpose, steps) {
    this.session = (await this.boss.createSession({ purpose })).session_id;
    this.saved.session = this.session;
    try {
      for (const [number, step] of steps.entries()) {
        await within(this.does(step), `step ${number + 1}: ${JSON.stringify(step)}`);
      }
      await within(this.hearsNoMore(), "what nobody expected");
    } finally {
      this.end.abort();
    }
  }

  /** The end of the session ends every listener, which has heard nothing else before that. */
  async hearsNoMore() {
    await this.boss.close(this.session);
    for (const events of this.listeners.values()) {
      const first = await events.next();
      const ended = first.value?.kind === "session/closed" ? await events.next() : first;
      assert.deepEqual(ended, { done: true, value: undefined });
    }
  }

  /** @param {Step} step */
  async does(step) {
    const kind = Object.keys(STEPS).find((name) => name in step);
    assert.ok(kind, `no such step: ${JSON.stringify(step)}`);
    await STEPS[kind]?.(this, step);
  }

  /** @param {string} agent */
  place(agent) {
    const place = this.places.get(agent) ?? this.boss.workspace(this.session, { agent });
    this.places.set(agent, place);
    return place;
  }

  /**
   * Calls the method of the tool: arguments that it requires in their order, all others as options.
   * @param {Step} step
   * @returns {Promise<any>}
   */
  async calls(step) {
    const target = /** @type {any} */ (step.as === "boss" ? this.boss : this.place(step.as));
    const method = target[camel(step.call)];
    assert.ok(method, `no method for ${step.call}`);
    const given = new Map(Object.entries(this.filled(step.arguments ?? {})));
    const required = namesOf(method).map((name) => {
      const found = [...given.keys()].find((argument) => camel(argument) === name);
      assert.ok(found, `${step.call} requires ${name}`);
      const value = given.get(found);
      given.delete(found);
      return value;
    });
    return method.call(target, ...required, { ...Object.fromEntries(given), signal: this.end.signal });
  }

  /**
   * With what was saved in the place of `$name`.
   * @param {any} value
   * @returns {any}
   */
  filled(value) {
    if (typeof value === "string" && value.startsWith("$")) {
      assert.ok(value.slice(1) in this.saved, `nothing was saved as ${value}`);
      return this.saved[value.slice(1)];
    }
    if (Array.isArray(value)) {
      return value.map((item) => this.filled(item));
    }
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.filled(item)]));
    }
    return value;
  }

  /**
   * @param {Promise<any>} call
   * @param {Step} step
   */
  async checks(call, { fails, expect = {}, save = {} }) {
    if (fails) {
      await assert.rejects(call, (problem) => {
        includes(failureOf(problem), this.filled(fails));
        return true;
      });
      return;
    }
    const result = await call;
    for (const [path, value] of Object.entries(this.filled(expect))) {
      assert.deepEqual(at(result, path) ?? null, value, path);
    }
    for (const [name, path] of Object.entries(save)) {
      this.saved[name] = at(result, String(path));
    }
  }
}

/** @type {Record<string, (player: Player, step: Step) => unknown>} */
const STEPS = {
  start: (player, step) => {
    const call = player.calls(step);
    call.catch(() => {});
    player.started.set(step.start, call);
  },
  finish: (player, step) => player.checks(player.started.get(step.finish) ?? assert.fail(step.finish), step),
  listen: (player, step) => {
    const options = { after: player.filled(step.after), kinds: step.kinds, signal: player.end.signal };
    const source = step.as === "boss" ? player.boss : player.place(step.as);
    player.listeners.set(step.listen, new Heard(source.events(options)));
  },
  hear: async (player, step) => {
    const events = player.listeners.get(step.hear) ?? assert.fail(step.hear);
    for (const expected of player.filled(step.events)) {
      const { value } = await events.next();
      assert.ok(value, "the events have ended");
      const { payload, ...common } = value;
      includes({ ...payload, ...common }, expected);
    }
  },
  end: async (player, step) => {
    const events = player.listeners.get(step.end) ?? assert.fail(step.end);
    assert.equal((await events.next()).done, true, "there were more events");
  },
  server: (_, step) => controls(step.server),
  lose_answers: (_, step) => controls(`lose_answers?count=${step.lose_answers}`),
  cut_streams: () => controls("cut_streams"),
  inbox: (player, step) => player.checks(Promise.resolve(player.place(step.inbox).inbox), step),
  call: (player, step) => player.checks(player.calls(step), step),
};

/** @param {unknown} problem */
function failureOf(problem) {
  if (problem instanceof ConnectionLost) {
    return { code: "CONNECTION_LOST" };
  }
  assert.ok(problem instanceof LongtableError, `${problem}`);
  return { code: problem.code, details: problem.details };
}

/** @param {string} action */
async function controls(action) {
  const response = await fetch(`${control}/${action}`, { method: "POST" });
  assert.ok(response.ok, `${action}: ${response.status}`);
}

/**
 * Whether all of `expected` is in it.
 * @param {any} value
 * @param {any} expected
 */
function includes(value, expected) {
  if (typeof expected !== "object" || expected === null || Array.isArray(expected)) {
    assert.deepEqual(value, expected);
    return;
  }
  for (const [name, part] of Object.entries(expected)) {
    includes(value?.[name], part);
  }
}

/**
 * @param {any} value
 * @param {string} path
 */
function at(value, path) {
  return path.split(".").reduce((part, name) => part?.[name], value);
}

/** @param {string} name */
function camel(name) {
  return name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
}

/** @param {Function} method */
function namesOf(method) {
  const [, list = ""] = /\(([^)]*)\)/.exec(method.toString()) ?? [];
  return list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name && !name.startsWith("options"));
}

/**
 * @param {Promise<unknown>} work
 * @param {string} what
 */
async function within(work, what) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("it took too long")), LIMIT_MS);
  });
  try {
    await Promise.race([work, late]);
  } catch (problem) {
    throw new Error(`${what}\n${problem}`, { cause: problem });
  } finally {
    clearTimeout(timer);
  }
}

for (const { name, steps } of JSON.parse(await readFile(scenarios, "utf8")).scenarios) {
  let problem = null;
  try {
    await new Player().plays(name, steps);
  } catch (error) {
    problem = String(error);
  }
  process.stdout.write(`${JSON.stringify({ name, problem })}\n`);
}
