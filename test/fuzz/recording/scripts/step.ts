import type { ListenerName } from '../format.ts'

/**
 * Scripted request. Texts in angle brackets, such as `<role_id>`, are values that an earlier step
 * kept from its reply.
 */
export interface Step {
  /** Listener, method and URL: `secrets POST /v1/sys/seal`. */
  readonly send: `${ListenerName} ${string} ${string}`
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Token to send instead of the management token; empty for no token. */
  readonly token?: string
  /** JSON pointers into the reply, by the name under which to keep the value. */
  readonly keep?: Readonly<Record<string, string>>
}

/** Steps in the order in which they are sent, starting in the filled world. */
export type Script = readonly Step[]

/** Returns a step of one listener: `on('mesh')('PUT /v1/kv/a', 'value')`. */
export const on =
  (listener: ListenerName) =>
  (
    call: `${string} ${string}`,
    body?: unknown,
    others: Omit<Step, 'send' | 'body'> = {},
  ): Step => ({ send: `${listener} ${call}`, body, ...others })
