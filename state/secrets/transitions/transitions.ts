import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { name } from '../../kernel/shape/kinds.ts'
import { described, struct } from '../../kernel/shape/members.ts'
import type { PendingTransition, PendingTransitions } from '../../kernel/time/transitions.ts'
import type { TransitionKind } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { rotateStaticRole, staticRoles } from '../database/static-roles.ts'
import { databaseViews, dropUser } from '../database/view.ts'
import { leases, type RevokeMode, revokeLease } from '../leases/leases.ts'
import { type Mount, mounts, storagePrefix } from '../mounts/mounts.ts'
import { findNamespaceById } from '../namespaces/namespaces.ts'
import { oidcKeys, rotateOidcKey } from '../oidc/keys.ts'
import { decideLogin, pendingLogins } from '../oidc/logins.ts'
import { markRevoked, nextCrlUpdate, rebuildCrl } from '../pki/crl.ts'
import {
  certificateExpiryKey,
  issuersOf,
  type PkiCertificate,
  pkiCertificates,
  pkiCertificateTable,
} from '../pki/tables.ts'

/**
 * Messages about forced transitions of the objects of engines
 * (behaviour/secrets#engine-transitions).
 */
export const { table, refuse } = defineMessages({
  ...refusals('absent', { 'engine-object-absent': 'there is no {kind} "{id}"' }),
  ...refusals('conflict', {
    'engine-transition-impossible': '{kind} "{id}" is {state} and cannot become {to}',
  }),
})

/** Parameters of a forced transition other than its target. */
type ExtraOptions = Readonly<Record<string, unknown>>

/**
 * Object of a secrets engine whose state can be changed by force. `moves` has a function for each
 * transition that is possible now, by target state.
 */
interface EngineObject {
  readonly id: string
  readonly state: string
  readonly moves: Readonly<Record<string, (extra: ExtraOptions) => void>>
}

/**
 * Declares transitions of the objects that `find` returns. Forcing a transition throws an `absent`
 * refusal for an unknown object, and `conflict` for a transition that is not possible now.
 */
function engineKind(
  declared: Pick<TransitionKind, 'kind' | 'summary' | 'targets' | 'takes' | 'pending'>,
  find: (world: World) => readonly EngineObject[],
): TransitionKind {
  const { kind } = declared
  return {
    ...declared,
    items: (world) =>
      find(world)
        .map(({ id, state, moves }) => ({ id, state, to: Object.keys(moves) }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    force(world, id, to, extra) {
      const found = find(world).find((each) => each.id === id)
      if (found === undefined) throw refuse('engine-object-absent', { kind, id })
      const move = Object.hasOwn(found.moves, to) ? found.moves[to] : undefined
      if (move === undefined) {
        throw refuse('engine-transition-impossible', { kind, id, state: found.state, to })
      }
      world.write(() => move(extra))
    },
  }
}

/** Returns the mounts of a type. `idPrefix` is the prefix of the ids of the mount's objects. */
function mountsOf(
  world: World,
  type: string,
): { readonly mount: Mount; readonly idPrefix: string }[] {
  return [...world.table(mounts).rows('')]
    .filter((mount) => mount.type === type)
    .map((mount) => {
      const namespace = findNamespaceById(world, mount.namespace)?.path ?? ''
      // Each namespace has one identity store at a fixed path, so ids do not contain the path.
      return { mount, idPrefix: namespace + (type === 'identity' ? '' : mount.path) }
    })
}

/** Collects the objects of all mounts of a type. The ids of the objects begin with `idPrefix`. */
function objectsOfMounts(
  world: World,
  type: string,
  find: (mount: Mount, idPrefix: string) => readonly EngineObject[],
): EngineObject[] {
  return mountsOf(world, type).flatMap(({ mount, idPrefix }) => find(mount, idPrefix))
}

function certificateObject(world: World, mount: Mount, row: PkiCertificate, idPrefix: string) {
  const now = world.clock.now()
  const id = idPrefix + row.serial
  if (row.revoked_at !== null) return { id, state: 'revoked', moves: {} }
  if (row.not_after <= now) return { id, state: 'expired', moves: {} }
  const end = () => pkiCertificates.put(world, mount, row.serial, { ...row, not_after: now })
  const revoke = () => {
    markRevoked(world, mount, row)
  }
  return { id, state: 'valid', moves: { revoked: revoke, expired: end } }
}

/** Returns the expiries of all certificates that are valid now. */
function certificateEnds(world: World): PendingTransitions {
  const ends = world.table(pkiCertificateTable).index('byEnd')
  const from = certificateExpiryKey(world.clock.now() + 1)
  const idPrefixes = new Map(
    mountsOf(world, 'pki').map(({ mount, idPrefix }) => [storagePrefix(mount), idPrefix]),
  )
  function* inOrder(): Generator<PendingTransition> {
    for (const [key, { not_after, serial }] of ends.entries('', from)) {
      const prefix = key.slice(from.length, -serial.length)
      yield { at: not_after, id: `${idPrefixes.get(prefix) ?? prefix}${serial}`, to: 'expired' }
    }
  }
  return { total: ends.countFrom(from), inOrder: inOrder() }
}

/** Returns the expiries of all pending logins. */
function loginEnds(world: World): PendingTransitions {
  const ends = pendingLogins(world).map(({ state, expire_time }) => ({
    at: expire_time,
    id: state,
    to: 'expired',
  }))
  return { total: ends.length, inOrder: ends.sort((a, b) => a.at - b.at) }
}

export const engineTransitions: readonly TransitionKind[] = [
  engineKind(
    {
      kind: 'secrets.certificate',
      summary: 'Certificates of the PKI engine, by mount and serial.',
      targets: ['revoked', 'expired'],
      pending: certificateEnds,
    },
    (world) =>
      objectsOfMounts(world, 'pki', (mount, idPrefix) =>
        pkiCertificates
          .names(world, mount)
          .map((serial) =>
            certificateObject(world, mount, pkiCertificates.read(world, mount, serial), idPrefix),
          ),
      ),
  ),
  engineKind(
    {
      kind: 'secrets.crl',
      summary: 'CRLs of the PKI engine, by mount and id of the issuer.',
      targets: ['rebuilt'],
    },
    (world) =>
      objectsOfMounts(world, 'pki', (mount, idPrefix) =>
        issuersOf(world, mount).flatMap((issuer) => {
          const end = nextCrlUpdate(world, mount, issuer)
          if (end === undefined) return []
          const state = end > world.clock.now() ? 'current' : 'ended'
          const rebuilt = () => {
            rebuildCrl(world, mount, issuer)
          }
          return [{ id: idPrefix + issuer.id, state, moves: { rebuilt } }]
        }),
      ),
  ),
  engineKind(
    {
      kind: 'secrets.lease',
      summary: 'Leases of secrets, by path of the namespace and id.',
      targets: ['revoked', 'expired'],
    },
    (world) =>
      [...world.table(leases).rows('')].map(({ id, namespace }) => {
        const end = (mode: RevokeMode) => revokeLease(world, { id: namespace }, id, mode)
        return {
          id: (findNamespaceById(world, namespace)?.path ?? '') + id,
          state: 'active',
          moves: { revoked: () => end('refuse'), expired: () => end('force') },
        }
      }),
  ),
  engineKind(
    {
      kind: 'secrets.databaseUser',
      summary: 'Users of the simulated databases, by database and name; the engine does not know.',
      targets: ['dropped'],
    },
    (world) =>
      databaseViews(world).flatMap(({ id: database, users }) =>
        Object.entries(users).map(([user, { static: isStatic }]) => ({
          id: `${database}/${user}`,
          state: isStatic ? 'static' : 'active',
          moves: { dropped: () => dropUser(world, database, user) },
        })),
      ),
  ),
  engineKind(
    {
      kind: 'secrets.staticRole',
      summary: 'Static roles of the database engine, by mount and name.',
      targets: ['rotated'],
    },
    (world) =>
      objectsOfMounts(world, 'database', (mount, idPrefix) =>
        staticRoles.names(world, mount).map((name) => ({
          id: idPrefix + name,
          state: 'waiting',
          moves: { rotated: () => rotateStaticRole(world, mount, name) },
        })),
      ),
  ),
  engineKind(
    {
      kind: 'secrets.oidcLogin',
      summary:
        'Logins by a browser that have begun, by state; the page of the provider then answers.',
      targets: ['agreed', 'denied'],
      takes: {
        agreed: struct({ entity: described(name, 'Name or id of the user who logs in') }),
      },
      pending: loginEnds,
    },
    (world) =>
      pendingLogins(world).map(({ state, decision }) => ({
        id: state,
        state: decision === undefined ? 'waiting' : decision === null ? 'denied' : 'agreed',
        moves: {
          agreed: ({ entity }) => decideLogin(world, state, String(entity)),
          denied: () => decideLogin(world, state, null),
        },
      })),
  ),
  engineKind(
    {
      kind: 'secrets.oidcKey',
      summary: 'Keys that sign identity tokens, by name.',
      targets: ['rotated'],
    },
    (world) =>
      objectsOfMounts(world, 'identity', (mount, idPrefix) =>
        oidcKeys.names(world, mount).map((name) => ({
          id: idPrefix + name,
          state: 'waiting',
          moves: { rotated: () => rotateOidcKey(world, mount, name) },
        })),
      ),
  ),
]
