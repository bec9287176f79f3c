import { int, nullable, text } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'

/** A login in a browser that the provider has not answered yet (behaviour/secrets#oidc-login). */
const stateShape = struct({
  role: text,
  redirect_uri: text,
  nonce: text,
  client_nonce: text,
  code_verifier: text,
  /** Instant in milliseconds since 1970. */
  expire_time: int,
  /**
   * Name or id of the user whom the provider's page logs in without showing a choice; null if the
   * page denies the login; undefined until a forced transition decides.
   */
  decision: optional(nullable(text)),
  ...walField,
})
export interface LoginState extends StoredOf<typeof stateShape> {}

/** Pending logins by `<mount uuid>/<state>`; index `byState` by state. */
export const oidcLoginTable = secretsTable('oidc-logins', stateShape, {
  secrets: { key: true, members: ['nonce', 'client_nonce', 'code_verifier'] },
  indexes: { byState: (_row, key) => stateOf(key) },
})

function stateOf(key: string): string {
  return key.slice(key.indexOf('/') + 1)
}

interface PendingLogin {
  readonly state: string
  readonly decision: string | null | undefined
  /** Instant in milliseconds since 1970. */
  readonly expire_time: number
}

/** Returns the logins that have begun and have not expired. */
export function pendingLogins(world: World): PendingLogin[] {
  const now = world.clock.now()
  return [...world.table(oidcLoginTable).entries()].flatMap(([key, { expire_time, decision }]) =>
    expire_time < now ? [] : [{ state: stateOf(key), decision, expire_time }],
  )
}

/**
 * Returns the user whom a forced transition has chosen for a pending login; null if the transition
 * denies the login, undefined if there was no transition.
 */
export function loginDecision(world: World, state: string): string | null | undefined {
  return world.table(oidcLoginTable).index('byState').get(state)?.decision
}

/**
 * Decides how the provider's page answers a pending login. Does nothing for an unknown state. Must
 * run inside a transaction.
 * @param decision name or id of the user; null to deny the login
 */
export function decideLogin(world: World, state: string, decision: string | null): void {
  const table = world.table(oidcLoginTable)
  for (const [key, row] of [...table.entries()]) {
    if (stateOf(key) === state) table.put(key, { ...row, decision })
  }
}
