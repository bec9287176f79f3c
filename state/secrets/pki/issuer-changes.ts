import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import { checkIssuerName, requireIssuer } from './issuers.ts'
import { message, refuse } from './messages.ts'
import {
  findIssuer,
  issuerUsages,
  type PkiIssuer,
  pkiDefaults,
  pkiIssuers,
  setPkiDefaults,
} from './tables.ts'

/** Settings of an issuer in a request. */
interface IssuerChange {
  readonly issuer_name?: string
  readonly leaf_not_after_behavior?: string
  readonly usage?: readonly string[]
}

const behaviors = ['err', 'truncate', 'permit'] as const

/** Changes the given settings of an issuer. Throws `invalid` and `absent` refusals. */
export function changeIssuer(
  world: World,
  mount: Mount,
  ref: string,
  change: IssuerChange,
): PkiIssuer {
  const before = requireIssuer(world, mount, ref)
  const { issuer_name: name = before.name, usage: asked = before.usage } = change
  checkIssuerName(world, mount, name, before.id)
  const wanted = change.leaf_not_after_behavior ?? before.leaf_not_after_behavior
  const behavior = behaviors.find((each) => each === wanted)
  if (behavior === undefined) throw refuse('pki-leaf-behavior')
  const usage = issuerUsages.filter((each) => asked.includes(each))
  if (asked.some((each) => !issuerUsages.some((known) => known === each))) {
    throw refuse('pki-usage-unknown', { values: asked.join(' ') })
  }
  const issuer = { ...before, name, leaf_not_after_behavior: behavior, usage }
  pkiIssuers.put(world, mount, issuer.id, issuer)
  return issuer
}

/** Deletes an issuer, if there is one, and returns whether it was the default. */
export function deleteIssuer(
  world: World,
  mount: Mount,
  ref: string,
): { readonly id: string; readonly wasDefault: boolean } {
  const issuer = findIssuer(world, mount, ref)
  if (issuer === undefined) return { id: '', wasDefault: false }
  const { id } = issuer
  const wasDefault = pkiDefaults(world, mount).issuer === id
  world.write(() => {
    pkiIssuers.remove(world, mount, id)
    if (wasDefault) setPkiDefaults(world, mount, { issuer: '' })
  })
  return { id, wasDefault }
}

/** Chooses the default issuer and returns the warning about a missing key. Throws `invalid` refusals. */
export function setDefaultIssuer(
  world: World,
  mount: Mount,
  ref: string,
  follows: boolean | undefined,
): Message[] {
  if (ref === '' || ref === 'default') throw refuse('pki-default-issuer-invalid')
  const issuer = findIssuer(world, mount, ref)
  if (issuer === undefined) throw refuse('pki-issuer-ref-unresolved', { ref })
  const { follows_latest } = pkiDefaults(world, mount)
  setPkiDefaults(world, mount, { issuer: issuer.id, follows_latest: follows ?? follows_latest })
  return issuer.key_id === '' ? [message('pki-issuer-without-key')] : []
}
