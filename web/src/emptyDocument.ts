/** The files of tests share a document: no test finds what another one has left in it. */
import { beforeEach } from "vitest";

beforeEach(() => document.body.replaceChildren());
