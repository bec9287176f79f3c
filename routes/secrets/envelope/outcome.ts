import type { Said } from '../../../state/kernel/wording.ts'
import type { AuthBlock } from '../../../state/secrets/tokens/tokens.ts'
import type { WrapInfo } from '../../../state/secrets/wrapping/wrapping.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { refuse } from '../texts.ts'

/** JSON that is text already: stored secrets go out without being parsed again. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A lease of an envelope. Durations in seconds. */
interface EnvelopeLease {
  readonly id: string
  readonly renewable: boolean
  readonly duration: number
}

/** The outcome of an operation; `envelope.ts` makes the reply of it. */
export type Outcome =
  /**
   * 204, or 200 with the warnings when there are any. The reference answers 202 where it leaves the
   * work for `later`.
   */
  | { readonly kind: 'empty'; readonly warnings?: readonly Said[]; readonly later?: true }
  /**
   * An envelope. `repeat` writes the keys of `data` at top level too, where the URL itself is below
   * `/v1/sys/` (section 1, Body kinds).
   */
  | {
      readonly kind: 'envelope'
      readonly data?: object | JsonText | null
      /** In place of `data` where the dialects differ in more than texts. */
      readonly dataIn?: (dialect: SecretsDialect) => object
      readonly auth?: AuthBlock
      readonly lease?: EnvelopeLease
      readonly warnings?: readonly Said[]
      readonly repeat?: boolean
      /** The wrapping that stands for the reply; there is no request id then. */
      readonly wrap?: WrapInfo | undefined
      /** 404 answers that carry data have `errors: []` besides (section 1, SPEC>REF). */
      readonly status?: 200 | 404
    }
  /**
   * 200 with the bare body; in dialects that keep the reference's bodies an envelope (section 1, Body
   * kinds, SPEC>REF). There the data may be others than those of the body, and there may be warnings.
   */
  | {
      readonly kind: 'spread'
      readonly body: object
      readonly referenceData: object
      readonly warnings?: readonly Said[]
      /** As for envelopes; the bare body is what it is. */
      readonly repeat?: boolean
    }
  /**
   * A reply that goes behind a wrapping token when it turns out a success with a body
   * (1-secrets-decisions.md section 1, Wrapping). `wrap` does it.
   */
  | {
      readonly kind: 'wrapped'
      readonly reply: Exclude<Outcome, { kind: 'wrapped' }>
      readonly wrap: (text: string) => WrapInfo
    }
  /** The body as it is, with its status; another in dialects that keep the reference's bodies. */
  | {
      readonly kind: 'bare'
      readonly status: number
      readonly body: object | JsonText | null
      readonly referenceBody?: object
    }

/** 204. */
export const empty: Outcome = { kind: 'empty' }

/** 204; 202 where the dialect keeps the reference's statuses. */
export const accepted: Outcome = { kind: 'empty', later: true }

/** 204, or 200 with warnings. */
export function done(warnings: readonly Said[]): Outcome {
  return { kind: 'empty', warnings }
}

/** 200 with `data`. */
export function data(payload: object | JsonText | null): Outcome {
  return { kind: 'envelope', data: payload }
}

/** 200 with `data.keys`; without any the list is `absent` (1-secrets.md, Conventions 5). */
export function keys(names: readonly string[], more: object = {}): Outcome {
  if (names.length === 0) throw refuse('nothing-here')
  return { kind: 'envelope', data: { keys: names, ...more } }
}

/** 200 with the bare body, which may have more in it in the reference. */
export function bare(body: object, referenceBody: object = body): Outcome {
  return { kind: 'bare', status: 200, body, referenceBody }
}

/**
 * 200 for the endpoints that the specification has bare and the reference in an envelope: reading
 * and generating with password policies, the backup of a rekey. Neutral sends `body` as it is; vendor
 * sends `ENV{data: referenceData}` (1-secrets-decisions.md section 1, Body kinds). `spreadOf` of schemas.ts is the schema of both.
 */
export function spread(body: object, referenceData: object = body): Outcome {
  return { kind: 'spread', body, referenceData }
}
