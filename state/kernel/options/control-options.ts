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
    'JSON pointers into bodies and rows, with `*` for any member or item. Journal, explanations, reports and dumps have fingerprints in these places.',
  ),
  traceLimit: option(
    intOf({ minimum: 0, maximum: 1_000_000_000 }),
    64_000_000,
    'Size in bytes, as JSON, above which a trace drops requests, the oldest served ones first; that of the default world counts.',
  ),
})

export type ControlOptions = StoredOf<typeof controlOptionsShape>

/** Options of the control plane; its service name is `control`. */
export const controlOptions = defineOptions('control', controlOptionsShape)
