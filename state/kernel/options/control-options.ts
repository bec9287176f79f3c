import { bool, intOf } from '../shape/kinds.ts'
import { struct } from '../shape/members.ts'
import type { StoredOf } from '../shape/values.ts'
import { defineOptions, option } from './options.ts'

/** The options that a world has beside those of its services (behaviour/program#journal). */
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
})

export type ControlOptions = StoredOf<typeof controlOptionsShape>

/** Under the name `control`, beside the names of services. */
export const controlOptions = defineOptions('control', controlOptionsShape)
