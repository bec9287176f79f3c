import type { Message } from '../../kernel/message.ts'
import { text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, MountRow, walField } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { secretsTable } from '../table.ts'
import { message, refuse } from './messages.ts'

const oidcConfigShape = struct({
  /** Scheme and host of the issuer; if empty, the address of the request is used. */
  issuer: text,
  ...walField,
})
interface OidcConfig extends StoredOf<typeof oidcConfigShape> {}

/**
 * Configurations of identity tokens by `<mount uuid>/`. The mount is that of the identity store.
 */
export const oidcConfigTable = secretsTable('oidc-config', oidcConfigShape, { secrets: 'none' })

const configs = new MountRow<OidcConfig>(oidcConfigTable, () => refuse('nothing-here'))

/** Returns the configured issuer, or an empty string if no issuer is configured. */
export function configuredIssuer(world: World, mount: Mount): string {
  return configs.find(world, mount)?.issuer ?? ''
}

/**
 * Configures the issuer of identity tokens and returns warnings. Does nothing if `issuer` is
 * undefined.
 * @throws Refusal unless the issuer is empty or consists of scheme, host and optional port
 */
export function configureIssuer(
  world: World,
  mount: Mount,
  issuer: string | undefined,
): readonly Message[] {
  if (issuer === undefined) return []
  const warnings = checkIssuer(issuer)
  configs.put(world, mount, { issuer })
  return warnings
}

/**
 * Checks a configured issuer and returns warnings about it.
 * @throws Refusal unless the issuer is empty or consists of scheme, host and optional port
 */
export function checkIssuer(issuer: string): readonly Message[] {
  if (issuer === '') return []
  if (!/^https?:\/\/[^/?#@\s]+$/.test(issuer) || !URL.canParse(issuer)) {
    throw refuse('oidc-issuer-invalid')
  }
  return [message('oidc-issuer-explicit')]
}

export interface IssuerContext {
  readonly mount: Mount
  readonly namespace: Namespace
  readonly origin: string
}

/** Returns the issuer URL of the identity tokens of a namespace. */
export function tokenIssuer(world: World, { mount, namespace, origin }: IssuerContext): string {
  const address = configuredIssuer(world, mount) || origin
  return `${address}/v1/${namespace.path}identity/oidc`
}
