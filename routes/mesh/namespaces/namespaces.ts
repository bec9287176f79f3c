import { any, constant, list, map, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import {
  aliased,
  described,
  optional,
  partial,
  struct,
} from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import type { ParsedOf } from '../../../state/kernel/shape/values.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { aclLinks, linksOf } from '../../../state/mesh/acl/bodies.ts'
import { linkViews } from '../../../state/mesh/acl/links.ts'
import { indexOf } from '../../../state/mesh/indexes.ts'
import { message, refuse } from '../../../state/mesh/messages.ts'
import {
  deleteNamespace,
  type NamespaceDefinition,
  putNamespace,
} from '../../../state/mesh/namespaces/changes.ts'
import {
  allNamespaces,
  checkLabel,
  checkNotReserved,
  defaultNamespace,
  type Namespace,
  namespaceDataKind,
  namespaceKey,
  namespaceNamed,
  namespaceShape,
} from '../../../state/mesh/namespaces/namespaces.ts'
import { beforeBody, perEntry } from '../../http/declare/access.ts'
import type { DialectName } from '../../http/declare/dialect.ts'
import { ok } from '../../http/declare/operation.ts'
import { CachedJson, JsonText, jsonList } from '../../http/json-text.ts'
import { requireRight, requires, rightChecker, withExtraRight, withNamedTarget } from '../access.ts'
import { refusePartition } from '../context.ts'
import { type MeshDialect, objectRenderer, renderedJson } from '../dialect.ts'
import { type MeshContext, operationsOf, type Reading } from '../operation.ts'

const operation = operationsOf({
  spec: 'behaviour/mesh#api-namespaces; behaviour/mesh#namespace-writes',
})

const { create_index, modify_index, ...fields } = namespaceShape.fields
const links = nullable(list(struct({ ID: text, Name: optional(text) })))

/**
 * Renderer of namespaces, with the members in the reference's order and without empty ones
 * (behaviour/mesh#namespace).
 */
const namespaceRenderer = objectRenderer(
  {
    ...fields,
    acls: nullable(struct({ policy_defaults: links, role_defaults: links })),
    partition: described(optional(constant('default')), 'Only in the vendor dialect'),
    create_index,
    modify_index,
  },
  ['description', 'acls', 'meta'],
)

const namespaceSchema = storedSchema(namespaceRenderer.shape)

/** Returns the JSON of a namespace. The JSON is cached if it depends only on the row. */
function namespaceJson(world: World, namespace: Namespace, dialect: MeshDialect): string {
  return namespace.acls === null
    ? cachedNamespaceJson(world, namespace, dialect)
    : renderNamespace(world, namespace, dialect)
}

/** Renders a namespace without a cache, because linked policies and roles may be renamed. */
function renderNamespace(world: World, namespace: Namespace, dialect: MeshDialect): string {
  const { acls } = namespace
  if (acls === null) return JSON.stringify(namespaceView(namespace, dialect))
  const linkedAcls = {
    policy_defaults: acls.policy_defaults && linkViews(world, 'policy', acls.policy_defaults),
    role_defaults: acls.role_defaults && linkViews(world, 'role', acls.role_defaults),
  }
  return JSON.stringify(namespaceView({ ...namespace, acls: linkedAcls }, dialect))
}

const cachedNamespaceJson = renderedJson<Namespace>(namespaceView)

function namespaceView(namespace: object, dialect: MeshDialect): object {
  return namespaceRenderer.render(
    dialect.showsPartition ? { ...namespace, partition: 'default' } : namespace,
  )
}

/**
 * Body of both PUT operations. Members that exist only in replies are accepted and ignored
 * (behaviour/mesh#conventions).
 */
const namespaceBody = partial(
  struct('Namespace', {
    Name: text,
    Description: text,
    ACLs: partial(
      struct('NamespaceACLConfig', {
        PolicyDefaults: aliased('policy_defaults', aclLinks),
        RoleDefaults: aliased('role_defaults', aclLinks),
      }),
    ),
    Meta: map(text),
    Partition: text,
    DeletedAt: any,
    CreateIndex: any,
    ModifyIndex: any,
  }),
)

/**
 * Handles the two PUT operations, which create a namespace or replace it completely. `resolveName`
 * returns the name of the namespace, given the name in the body. Throws a refusal if the name is
 * not acceptable, or if the caller may not use links in the body (behaviour/mesh#namespace-writes).
 */
function putFromBody(
  context: MeshContext,
  read: () => ParsedOf<typeof namespaceBody>,
  resolveName: (bodyName: string | undefined) => string,
): ReturnType<typeof ok<JsonText>> {
  const { world, dialect } = context
  const { Name, Description, ACLs, Meta, Partition } = read()
  refusePartition(Partition)
  const name = resolveName(Name)
  checkLabel(name)
  checkNotReserved(name, dialect.product)
  const acls = ACLs && {
    policies: linksOf(ACLs.PolicyDefaults) ?? null,
    roles: linksOf(ACLs.RoleDefaults) ?? null,
  }
  if ((acls?.policies?.length ?? 0) + (acls?.roles?.length ?? 0) > 0) {
    requireRight(context, 'acl:write', { namespace: defaultNamespace })
  }
  const definition: NamespaceDefinition = {
    name,
    description: Description ?? '',
    acls: acls ?? null,
    meta: Meta ?? {},
  }
  // The JSON is not cached, because most namespaces are replaced before they are read again.
  return ok(new JsonText(renderNamespace(world, putNamespace(world, definition), dialect)))
}

/** Throws a refusal if the name in the path is missing or invalid (behaviour/mesh#namespace). */
function checkPathName(name: string): void {
  if (name === '') throw refuse('namespace-name-missing')
  checkLabel(name)
}

/**
 * Reads one namespace. For a namespace that does not exist, the reply is a 404, and a blocking read
 * waits until the namespace appears.
 */
function readOne({ world, dialect }: MeshContext, name: string): Reading<200 | 404> {
  // The index is not observed: all namespaces share it, but a wait for one namespace must not end
  // when other namespaces change.
  const index = world.unobserved(() => indexOf(world, namespaceDataKind))
  const found = namespaceNamed(world, name)
  if (found === undefined)
    return {
      index,
      status: 404,
      body: dialect.renderMessage(message('namespace-absent', { name })),
    }
  return { index, body: new JsonText(namespaceJson(world, found, dialect)) }
}

/**
 * Lists the namespaces that the caller may see (behaviour/mesh#reads and behaviour/mesh#checks).
 */
function readAllNamespaces(context: MeshContext): Reading {
  const { world, dialect } = context
  const isReadable = rightChecker(context, 'namespace:read')
  const all = allNamespaces(world)
  const visible = all.filter(({ name }) => isReadable({ name }))
  const isFiltered = visible.length < all.length
  return {
    index: indexOf(world, namespaceDataKind),
    body: isFiltered ? listJson(world, visible, dialect) : fullListJson(world, all, dialect),
    isFiltered,
  }
}

function listJson(world: World, list: readonly Namespace[], dialect: MeshDialect): JsonText {
  return jsonList(list.map((namespace) => namespaceJson(world, namespace, dialect)))
}

const emptyListCache = (): { [Name in DialectName]?: JsonText } => ({})

/** Returns the JSON of the unfiltered list. The JSON is cached if it depends only on the rows. */
function fullListJson(world: World, all: readonly Namespace[], dialect: MeshDialect): JsonText {
  if (all.some(({ acls }) => acls !== null)) return listJson(world, all, dialect)
  const cache = world.derived(all, emptyListCache)
  const json = cache[dialect.name] ?? new CachedJson(listJson(world, all, dialect).text)
  cache[dialect.name] = json
  return json
}

/** Access to writes. Bodies that contain links to policies or roles also require `acl:write`. */
const writeAccess = withExtraRight('acl:write', beforeBody(requires('operator:write')))

export const namespaceOperations = [
  operation.put('createNamespace', '/namespace', {
    access: writeAccess,
    summary: 'Create a namespace, or replace one.',
    reply: { 200: namespaceSchema },
    body: namespaceBody,
    run: ({ context, body }) =>
      putFromBody(context, body, (bodyName = '') => {
        if (bodyName === '') throw refuse('namespace-name-unsaid')
        return bodyName
      }),
  }),
  operation.get('readNamespace', '/namespace/:name', {
    access: withNamedTarget('name', requires('namespace:read')),
    summary: 'Read a namespace; can block.',
    spec: 'behaviour/mesh#api-namespaces; behaviour/mesh#reads',
    reply: { 200: namespaceSchema, 404: { type: 'string' } },
    run({ context, params: { name } }) {
      checkPathName(name)
      return context.read<200 | 404>(() => readOne(context, name), { showsConsistency: true })
    },
  }),
  operation.put('updateNamespace', '/namespace/:name', {
    access: writeAccess,
    summary: 'Replace a namespace, or create it.',
    reply: { 200: namespaceSchema },
    body: namespaceBody,
    run: ({ context, params: { name }, body }) =>
      putFromBody(context, body, (bodyName = '') => {
        if (name === '') throw refuse('namespace-name-missing')
        if (bodyName !== '' && namespaceKey(bodyName) !== namespaceKey(name)) {
          throw refuse('namespace-names-differ')
        }
        return name
      }),
  }),
  operation.delete('deleteNamespace', '/namespace/:name', {
    access: beforeBody(requires('operator:write')),
    summary: 'Mark a namespace for deletion; its data is deleted in the background.',
    failures: [404],
    reply: { 200: null },
    run({ context: { world }, params: { name } }) {
      checkPathName(name)
      deleteNamespace(world, name)
      return { status: 200 as const }
    },
  }),
  operation.get('listNamespaces', '/namespaces', {
    access: perEntry(requires('namespace:read')),
    summary: 'List the namespaces that the caller may see; can block.',
    spec: 'behaviour/mesh#api-namespaces; behaviour/mesh#reads',
    reply: { 200: { type: 'array', items: namespaceSchema } },
    run: ({ context }) =>
      context.read(() => readAllNamespaces(context), {
        showsConsistency: true,
        showsFilteringToAnonymous: true,
      }),
  }),
]
