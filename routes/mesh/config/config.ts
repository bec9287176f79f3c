import { quoteGo } from '../../../state/go/text.ts'
import { any, map, text, uint } from '../../../state/kernel/shape/kinds.ts'
import {
  described,
  partial,
  secret,
  struct,
  withOthers,
} from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { refuse as refuseAccess } from '../../../state/mesh/acl/messages.ts'
import type { Resource } from '../../../state/mesh/acl/rulebook.ts'
import type { DecodedEntry } from '../../../state/mesh/config/decode-entry.ts'
import {
  configEntry,
  deleteEntry,
  entriesIndex,
  entriesOfKind,
  entryName,
  normalizeEntry,
  putEntry,
  requireNamespaceOfKind,
} from '../../../state/mesh/config/entries.ts'
import { entryKinds } from '../../../state/mesh/config/entry-kinds.ts'
import {
  type EntryKind,
  type EntryMembers,
  entryShapes,
  isEntryKind,
} from '../../../state/mesh/config/entry-shapes.ts'
import { relatedServices } from '../../../state/mesh/config/related-services.ts'
import type { ConfigEntry } from '../../../state/mesh/config/tables.ts'
import { message, refuse } from '../../../state/mesh/messages.ts'
import { requireWritableNamespace } from '../../../state/mesh/namespaces/namespaces.ts'
import { insideOperation, perEntry } from '../../http/declare/access.ts'
import { ok } from '../../http/declare/operation.ts'
import { parameters } from '../../http/declare/parameters.ts'
import {
  namespaceOf,
  type RightTarget,
  requireRight,
  requires,
  rightChecker,
  withExtraRight,
} from '../access.ts'
import { filterOf, filterParameter } from '../catalog/filters.ts'
import { tenancyOf } from '../catalog/records.ts'
import { readNamespaceOf, readNamespacesOf } from '../catalog/selection.ts'
import { refusePartition } from '../context.ts'
import { digitsParameter } from '../decode.ts'
import type { MeshDialect } from '../dialect.ts'
import { type MeshContext, operationsOf } from '../operation.ts'
import { parseEntry } from './body.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#config' })

const readAccess = withExtraRight(
  'service:write',
  requires('service:read', 'intention:read', 'mesh:read'),
)
const writeAccess = insideOperation(
  withExtraRight('service:read', requires('service:write', 'intention:write', 'mesh:write')),
)

const entryReply = withOthers(struct({ CreateIndex: uint, ModifyIndex: uint }), any)

const casParameter = parameters({
  cas: described(uint, 'Required ModifyIndex of the entry; 0 means that the entry must not exist'),
})

const entryBody = withOthers(
  partial(struct({ Kind: text, Name: text, PrivateKey: secret(text) })),
  any,
)

function entryView(world: World, dialect: MeshDialect, entry: ConfigEntry) {
  const { kind, members, hash, namespace, create_index, modify_index } = entry
  return {
    ...members,
    Kind: kind,
    ...(kind !== 'bound-api-gateway' && { Hash: hash }),
    ...tenancyOf(world, dialect)(namespace),
    CreateIndex: create_index,
    ModifyIndex: modify_index,
  }
}

/** Returns whether the caller may read an entry. The required right depends on the kind. */
function isReadable(context: MeshContext, kind: EntryKind, namespace: string, name: string) {
  const { reads } = entryKinds[kind]
  if (reads === undefined) return true
  const right = `${requireEntryResource(reads)}:read` as const
  // Proxies read JWT providers with the rights of their services.
  const isOfService =
    kind === 'jwt-provider' && rightChecker(context, 'service:write')({ namespace, isAny: true })
  return isOfService || rightChecker(context, right)(targetOf(reads, namespace, name))
}

/** Resources whose rights protect configuration entries. */
type EntryResource = 'service' | 'intention' | 'mesh'

function requireEntryResource(resource: Resource): EntryResource {
  return resource === 'service' || resource === 'intention' ? resource : 'mesh'
}

function targetOf(resource: Resource, namespace: string, name: string): RightTarget {
  if (resource === 'mesh') return {}
  const isAny = resource === 'intention' && name === '*'
  return isAny ? { namespace, name, isAny } : { namespace, name }
}

function requireReadable(context: MeshContext, kind: EntryKind, namespace: string, name: string) {
  const { reads } = entryKinds[kind]
  if (reads === undefined || isReadable(context, kind, namespace, name)) return
  requireRight(context, `${requireEntryResource(reads)}:read`, targetOf(reads, namespace, name))
}

function requireWritable(
  context: MeshContext,
  kind: EntryKind,
  namespace: string,
  name: string,
  members: EntryMembers | undefined,
): void {
  const { writes } = entryKinds[kind]
  if (writes === undefined) throw refuseAccess('only-controller')
  requireRight(context, `${requireEntryResource(writes)}:write`, targetOf(writes, namespace, name))
  if (members === undefined || writes !== 'service') return
  for (const service of relatedServices(kind, members, namespace)) {
    requireRight(context, 'service:read', { ...service })
  }
}

/** Splits a path into kind and name. Names may contain slashes. */
function entryOfPath({ kind, name }: { readonly kind: string; readonly name: string }) {
  const [first = '', ...rest] = `${kind}/${name}`.split('/')
  return { kind: first, name: rest.join('/') }
}

/**
 * Returns the parameter `cas` as a number; undefined if the parameter is missing. Throws a refusal
 * if the value is not an unsigned number.
 */
function casOf({ query }: MeshContext): number | undefined {
  const digits = digitsParameter(query, 'cas')
  return digits === undefined ? undefined : Number(digits)
}

/**
 * Returns the namespace of the entry that a path names. Only intentions may be in the namespace
 * `*`. Throws a refusal for `*` with other kinds, and for an unknown namespace.
 */
function entryNamespaceOf(context: MeshContext, kind: string): string {
  const isWildcard = kind === 'service-intentions' && namespaceOf(context) === '*'
  return isWildcard ? '*' : readNamespaceOf(context)
}

/**
 * Returns the namespace to which a request writes an entry. Only intentions may be written to `*`.
 * Throws a refusal if the namespace cannot be written, if the kind exists only in `default` but the
 * namespace is another one, or if the entry names another partition.
 */
function namespaceOfEntry(
  context: MeshContext,
  { kind, namespace, partition }: DecodedEntry,
): string {
  refusePartition(partition)
  const requested = namespace ?? namespaceOf(context)
  if (kind === 'service-intentions' && requested === '*') return requested
  const { name } = requireWritableNamespace(context.world, requested)
  requireNamespaceOfKind(kind, name)
  return name
}

/**
 * Returns a list with only `*` if the request lists intentions in all namespaces; otherwise an
 * empty list. Intentions are stored under `*` if their destination is every namespace.
 */
function wildcardNamespaces(context: MeshContext, kind: EntryKind): readonly string[] {
  return kind === 'service-intentions' && namespaceOf(context) === '*' ? ['*'] : []
}

/**
 * Returns a reply with the entries that the caller may read.
 *
 * @param requestedKind empty for entries of all kinds
 */
function listEntries(context: MeshContext, requestedKind: string) {
  const { world, dialect, query } = context
  return context.read(() => {
    void context.caller
    const scopes = readNamespacesOf(context)
    const index = entriesIndex(world)
    if (requestedKind !== '' && !isEntryKind(requestedKind)) {
      throw refuse('entry-kind-unknown-in-read', { kind: requestedKind })
    }
    if (query.value('filter') && requestedKind !== 'service-defaults') {
      throw refuse('entry-filter-unsupported', { kind: requestedKind })
    }
    const matches = filterOf(context, entryShapes['service-defaults'])
    const kinds = requestedKind === '' ? allKinds : [requestedKind as EntryKind]
    const entries = kinds.flatMap((kind) =>
      [...scopes, ...wildcardNamespaces(context, kind)].flatMap((namespace) => [
        ...entriesOfKind(world, kind, namespace),
      ]),
    )
    const visible = entries.filter(({ kind, namespace, name }) =>
      isReadable(context, kind, namespace, name),
    )
    const body = visible
      .filter(({ members }) => matches(members))
      .map((entry) => entryView(world, dialect, entry))
    return { index, body, isFiltered: visible.length < entries.length }
  })
}

const allKinds = (Object.keys(entryShapes) as EntryKind[]).sort()

export const configOperations = [
  operation.put('applyConfigEntry', '/config', {
    access: writeAccess,
    summary: 'Store a configuration entry.',
    query: casParameter,
    body: entryBody,
    reply: { 200: { type: 'boolean' } },
    run({ context }) {
      const { world } = context
      const sent = parseEntry(context)
      const cas = casOf(context)
      void context.caller
      const namespace = namespaceOfEntry(context, sent)
      const { kind } = sent
      const members = normalizeEntry(world, kind, namespace, sent.members)
      requireWritable(context, kind, namespace, entryName(kind, members), members)
      return ok(putEntry(world, kind, namespace, members, cas))
    },
  }),
  operation.get('listConfigEntries', '/config/:kind', {
    access: perEntry(readAccess),
    summary: 'List the configuration entries of a kind, or of all kinds; can block.',
    query: parameters(filterParameter),
    reply: { 200: { type: 'array', items: storedSchema(entryReply) } },
    run: ({ context, params }) => listEntries(context, params.kind),
  }),
  operation.delete('deleteUnnamedConfigEntry', '/config/:kind', {
    access: 'anyone',
    summary: 'Refuse to delete all configuration entries of a kind.',
    failures: [404],
    reply: {},
    run() {
      throw refuse('entry-unnamed')
    },
  }),
  operation.get('readConfigEntry', '/config/:kind/:name', {
    access: insideOperation(readAccess),
    summary: 'Read a configuration entry; can block.',
    reply: { 200: storedSchema(entryReply), 404: { type: 'string' } },
    run({ context, params }) {
      const { world, dialect } = context
      const { kind, name } = entryOfPath(params)
      return context.read<200 | 404>(() => {
        void context.caller
        const namespace = entryNamespaceOf(context, kind)
        if (!isEntryKind(kind)) throw refuse('entry-kind-unknown-in-read', { kind })
        requireReadable(context, kind, namespace, kind === 'mesh' ? 'mesh' : name)
        const entry = configEntry(world, kind, namespace, name)
        const index = entriesIndex(world)
        if (entry !== undefined) return { index, body: entryView(world, dialect, entry) }
        const absenceMessage = message('entry-absent', { kind: quoteGo(kind), name: quoteGo(name) })
        return { index, status: 404, body: dialect.renderMessage(absenceMessage) }
      })
    },
  }),
  operation.delete('deleteConfigEntry', '/config/:kind/:name', {
    access: writeAccess,
    summary: 'Delete a configuration entry; without `cas`, also succeeds if there is none.',
    query: casParameter,
    reply: { 200: { oneOf: [{ type: 'boolean' }, storedSchema(map(any))] } },
    run({ context, params }) {
      const { kind, name: sentName } = entryOfPath(params)
      if (!isEntryKind(kind)) throw refuse('entry-kind-unknown', { kind })
      const cas = casOf(context)
      void context.caller
      const namespace = entryNamespaceOf(context, kind)
      requireNamespaceOfKind(kind, namespace)
      if (kind === 'proxy-defaults' && sentName !== '' && sentName !== 'global') {
        const problem = `invalid name (${quoteGo(sentName)}), only "global" is supported`
        throw refuse('entry-invalid', { problem })
      }
      const name = kind === 'mesh' ? 'mesh' : sentName
      requireWritable(context, kind, namespace, name, undefined)
      const isDeleted = deleteEntry(context.world, kind, namespace, name, cas)
      return ok(cas === undefined ? {} : isDeleted)
    },
  }),
]
