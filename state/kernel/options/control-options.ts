import { bool, intOf, list, textOf } from '../shape/kinds.ts'
import { struct } from '../shape/members.ts'
import type { StoredOf } from '../shape/values.ts'
import { defineOptions, option } from './options.ts'

/** Options of a world that belong to no service (behaviour/program#journal). */
const controlOptionsShape = struct({
  journalSize: option(
    intOf({ minimum: 0, maximum: 1_000_000 }),
    1_000,
    'How many requests the journal keeps; 0 keeps none.',
  ),
  journalBodies: option(
    bool,
    true,
    'Keep the bodies of requests and replies, those over 16 KiB as their size and SHA-256.',
  ),
  redact: option(
    list(textOf({ pattern: '^(/|$)', maxLength: 1_000 })),
    [],
    'JSON pointers into bodies and rows, with `*` for any member or item. In these places, the journal, explanations, reports and dumps contain fingerprints.',
  ),
  traceLimit: option(
    intOf({ minimum: 0, maximum: 1_000_000_000 }),
    64_000_000,
    "Size of a trace in bytes of JSON, above which it drops requests, beginning with the oldest that were served; the default world's setting counts.",
  ),
})

export type ControlOptions = StoredOf<typeof controlOptionsShape>

/** Options of the control plane; its service name is `control`. */
export const controlOptions = defineOptions('control', controlOptionsShape)
