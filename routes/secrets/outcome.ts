import { absent } from '../../state/secrets/refusals.ts'
import type { AuthBlock } from '../../state/secrets/tokens.ts'

/** JSON that is text already: stored secrets go out without being parsed again. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A lease of an envelope. Durations in seconds. */
export interface EnvelopeLease {
  readonly id: string
  readonly renewable: boolean
  readonly duration: number
}

/** What an operation came to; `envelope.ts` makes the reply of it. */
export type Outcome =
  /**
   * 204, or 200 with the warnings when there are any. The reference answers 202 where it leaves the
   * work for `later`.
   */
  | { readonly kind: 'empty'; readonly warnings?: readonly string[]; readonly later?: true }
  /** An envelope. `repeat` writes the keys of `data` at top level too (section 1, Body kinds). */
  | {
      readonly kind: 'envelope'
      readonly data?: object | JsonText | null
      readonly auth?: AuthBlock
      readonly lease?: EnvelopeLease
      readonly warnings?: readonly string[]
      readonly repeat?: boolean
      /** 404 answers that carry data have `errors: []` besides (section 1, SPEC>REF). */
      readonly status?: 200 | 404
    }
  /** The body as it is, with its status. */
  | { readonly kind: 'bare'; readonly status: number; readonly body: object | JsonText | null }

/** 204. */
export const empty: Outcome = { kind: 'empty' }

/** 204; 202 where the dialect keeps the reference's statuses. */
export const accepted: Outcome = { kind: 'empty', later: true }

/** 204, or 200 with warnings. */
export function done(warnings: readonly string[]): Outcome {
  return { kind: 'empty', warnings }
}

/** 200 with `data`. */
export function data(payload: object | JsonText | null): Outcome {
  return { kind: 'envelope', data: payload }
}

/** 200 with `data.keys`; without any the list is `absent` (1-secrets.md, Conventions 5). */
export function keys(names: readonly string[], more: object = {}): Outcome {
  if (names.length === 0) throw absent()
  return { kind: 'envelope', data: { keys: names, ...more } }
}

/** 200 with the bare body. */
export function bare(body: object): Outcome {
  return { kind: 'bare', status: 200, body }
}
