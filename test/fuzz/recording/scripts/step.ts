import type { ListenerName } from '../format.ts'

/**
 * One scripted request. Texts in angle brackets, such as `<role_id>`, are values that an earlier step
 * kept from its reply.
 */
export interface Step {
  /** The listener, the method and the address: `secrets POST /v1/sys/seal`. */
  readonly send: `${ListenerName} ${string} ${string}`
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Another token than that which may do everything; empty for none. */
  readonly token?: string
  /** JSON pointers into the reply, by the name under which the value is kept. */
  readonly keep?: Readonly<Record<string, string>>
}

/** Steps that begin in the world as the samples fill it. */
export type Script = readonly Step[]

/** Returns a step of one listener: `on('mesh')('PUT /v1/kv/a', 'value')`. */
export const on =
  (listener: ListenerName) =>
  (
    call: `${string} ${string}`,
    body?: unknown,
    others: Omit<Step, 'send' | 'body'> = {},
  ): Step => ({ send: `${listener} ${call}`, body, ...others })
