import { constant, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import {
  hasRight,
  isMember,
  isOrganizationToken,
} from '../../../state/platform/accounts/callers.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import { isBlank } from '../../../state/platform/names.ts'
import { organizations } from '../../../state/platform/organizations/organizations.ts'
import {
  createGpgKey,
  deleteGpgKey,
  type GpgKey,
  gpgKeyAttributes,
  gpgKeyNamed,
  gpgKeysOf,
  moveGpgKey,
} from '../../../state/platform/providers/gpg-keys.ts'
import { invalidAttributes, violation } from '../../../state/platform/violations.ts'
import {
  attributeRenderer,
  inState,
  openQuery,
  optionalMembers,
  strictText,
} from '../json-api/attributes.ts'
import { type Resource, resourceShape } from '../json-api/resource.ts'
import { operationsOn, type Scope } from '../operation.ts'
import { checkMember } from '../organizations/scopes.ts'

/** Path prefix of the private registry's operations on keys. */
export const privateRegistryPrefix = '/api/registry/private/v2'

const type = 'gpg-keys'
const renderer = attributeRenderer(gpgKeyAttributes)
const emptySource = { source: '', 'source-url': null, 'trust-signature': '' } as const

const shape = resourceShape(
  type,
  struct({
    ...renderer.shape.fields,
    source: constant(''),
    'source-url': constant(null),
    'trust-signature': constant(''),
  }),
  { links: struct({ self: text }) },
)

function resourceOf(key: GpgKey): Resource {
  const { id, namespace, key_id } = key
  return {
    id,
    type,
    attributes: { ...renderer.render(key), ...emptySource },
    links: { self: `${privateRegistryPrefix}/gpg-keys/${namespace}/${key_id}` },
  }
}

/**
 * Throws 404 unless the namespace is an organization whose keys the caller may use for the given
 * purpose. Throws 401 if the organization does not accept the caller's kind of token. Members may
 * read keys; managing keys requires a permission. The organization's own token may neither read nor
 * manage keys.
 */
function checkNamespace(
  { world, caller }: Pick<Scope, 'world' | 'caller'>,
  namespace: string,
  purpose: 'read' | 'manage',
): void {
  requireFound(world.table(organizations).get(namespace))
  checkMember(world, caller, namespace)
  const isPermitted =
    purpose === 'read'
      ? !isOrganizationToken(caller, namespace)
      : hasRight(world, caller, namespace, 'manage-providers')
  if (!isPermitted) throw refuse('not-found')
}

/** Returns whether the caller may move a key to a namespace; false for an unknown namespace. */
function mayMoveKeyTo(scope: Pick<Scope, 'world' | 'caller'>, namespace: string): boolean {
  const { world, caller } = scope
  if (world.table(organizations).get(namespace) === undefined) return false
  return (
    isMember(world, caller, namespace) && hasRight(world, caller, namespace, 'manage-providers')
  )
}

function findKeyFor(purpose: 'read' | 'manage'): (scope: Scope) => GpgKey {
  return (scope) => {
    const { namespace = '', key_id = '' } = scope.params
    checkNamespace(scope, namespace, purpose)
    return requireFound(gpgKeyNamed(scope.world, namespace, key_id))
  }
}

const spec = 'behaviour/platform#gpg-keys'
const rendering = { shape, render: resourceOf }

const onNoSubject = operationsOn('caller', () => undefined, spec)
const onKey = operationsOn('caller', findKeyFor('read'), spec)
const onManagedKey = operationsOn('caller', findKeyFor('manage'), spec)
const onePath = '/gpg-keys/:namespace/:key_id'

/** Operations on GPG keys, below the prefix of the private registry. */
export const gpgKeyOperations = [
  onNoSubject.page('/gpg-keys', rendering, {
    id: 'listGpgKeys',
    summary: 'List the GPG keys of namespaces, newest first.',
    query: openQuery({
      'filter[namespace]': described(text, 'Comma-separated names of organizations'),
    }),
    failures: [403, 404],
    run({ context, query }) {
      const { 'filter[namespace]': sent } = query
      if (isBlank(sent)) throw refuse('namespace-filter-missing')
      const namespaces = sent.split(',').map((each) => each.trim())
      for (const namespace of namespaces) checkNamespace(context, namespace, 'read')
      return namespaces.flatMap((namespace) => gpgKeysOf(context.world, namespace))
    },
  }),
  onNoSubject.document('POST', '/gpg-keys', rendering, {
    id: 'createGpgKey',
    summary: 'Add a GPG key to the namespace of an organization.',
    body: {
      type,
      attributes: optionalMembers({ namespace: strictText, 'ascii-armor': strictText }),
    },
    failures: [404],
    run({ context, body }) {
      const { namespace, ...input } = inState(body().attributes)
      if (isBlank(namespace)) throw invalidAttributes([violation('namespace', 'blank')])
      checkNamespace(context, namespace, 'manage')
      return createGpgKey(context.world, namespace, input)
    },
  }),
  onKey.document('GET', onePath, rendering, {
    id: 'readGpgKey',
    summary: 'Read a GPG key.',
    run: ({ context: { subject } }) => subject,
  }),
  onManagedKey.document('PATCH', onePath, rendering, {
    id: 'changeGpgKey',
    summary: 'Move a GPG key to another namespace.',
    body: { type, attributes: optionalMembers({ namespace: strictText }) },
    failures: [403],
    run({ context, body }) {
      const { namespace = context.subject.namespace } = body().attributes
      if (isBlank(namespace)) throw invalidAttributes([violation('namespace', 'blank')])
      if (!mayMoveKeyTo(context, namespace)) throw refuse('namespace-unauthorized')
      return moveGpgKey(context.world, context.subject, namespace)
    },
  }),
  onManagedKey('DELETE', onePath, {
    id: 'deleteGpgKey',
    summary: 'Delete a GPG key.',
    run: ({ context: { world, subject } }) => deleteGpgKey(world, subject),
  }),
]
