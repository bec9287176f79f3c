import type { Refusal } from '../../../state/kernel/refusal.ts'
import { list, type Shape, type StructShape, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { ParsedOf } from '../../../state/kernel/shape/values.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { policyBody, policyInputOf, roleBody, roleInputOf } from '../../../state/mesh/acl/bodies.ts'
import { isUuid } from '../../../state/mesh/acl/ids.ts'
import { refuse } from '../../../state/mesh/acl/messages.ts'
import {
  createPolicy,
  deletePolicy,
  policiesIn,
  policyDataKind,
  policyNamed,
  policyWithId,
  updatePolicy,
} from '../../../state/mesh/acl/policies.ts'
import {
  createRole,
  deleteRole,
  roleDataKind,
  roleNamed,
  rolesIn,
  roleWithId,
  updateRole,
} from '../../../state/mesh/acl/roles.ts'
import type { AclPolicy, AclRole } from '../../../state/mesh/acl/tables.ts'
import { ok } from '../../http/declare/operation.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { decodePath } from '../../http/decode-path.ts'
import { JsonText } from '../../http/json-text.ts'
import type { MeshContext } from '../operation.ts'
import {
  authorizeWrite,
  type BodyScope,
  checkEnabled,
  deletedAnswer,
  listAccess,
  listAcl,
  namespaceOfRead,
  notFound,
  operation,
  readAccess,
  readAcl,
  writeAccess,
} from './access.ts'
import {
  deletedReply,
  failureReply,
  policyJson,
  policyReply,
  policyStubReply,
  roleJson,
  roleReply,
  stubJson,
} from './views.ts'

/** Members that the bodies of all objects with an ID and a name share. */
interface NamedBody extends BodyScope {
  readonly ID?: string | undefined
}

/** A kind of ACL object that has an ID and a name: policies or roles. */
interface NamedKind<Row, Body extends NamedBody> {
  /** Returns the refusal of a creation request that contains an ID. */
  refuseId(): Refusal
  readonly noun: 'policy' | 'role'
  /** Capitalized noun, for operation IDs and messages about bodies. */
  readonly Noun: 'Policy' | 'Role'
  /** Kind of data whose index reads contain. */
  readonly dataKind: string
  readonly schema: Shape
  /** Shape with which `decode` decodes the body. */
  readonly body: StructShape
  decode(context: MeshContext): Body
  create(world: World, namespace: string, body: Body): Row
  update(world: World, namespace: string, id: string, body: Body): Row
  remove(world: World, namespace: string, id: string): void
  withId(world: World, namespace: string, id: string): Row | undefined
  withName(world: World, namespace: string, name: string): Row | undefined
  /** Returns the JSON of a row. */
  json(context: MeshContext, row: Row): string
}

/**
 * Returns the operations that create, update, read (by ID or name) and delete objects of a kind
 * (behaviour/mesh#acl-endpoints).
 */
function namedOperations<Row, Body extends NamedBody>(kind: NamedKind<Row, Body>) {
  const { noun, Noun, dataKind, schema } = kind

  function requireId(id: string): string {
    if (id === '') throw refuse('id-missing', { noun })
    return id
  }

  function readOne(
    context: MeshContext,
    find: (world: World, namespace: string) => Row | undefined,
  ) {
    return readAcl<404>(context, dataKind, () => {
      const namespace = namespaceOfRead(context)
      const row = find(context.world, namespace)
      return row === undefined
        ? notFound(context, noun, namespace)
        : { body: new JsonText(kind.json(context, row)) }
    })
  }

  return [
    operation.put(`createAcl${Noun}`, `/acl/${noun}`, {
      access: writeAccess,
      summary: `Create an ACL ${noun}.`,
      body: kind.body,
      reply: { 200: schema },
      run: ({ context }) => {
        checkEnabled(context)
        const body = kind.decode(context)
        if (body.ID) throw kind.refuseId()
        const { namespace } = authorizeWrite(context, body)
        return ok(new JsonText(kind.json(context, kind.create(context.world, namespace, body))))
      },
    }),
    operation.put(`updateAcl${Noun}`, `/acl/${noun}/:id`, {
      access: writeAccess,
      summary: `Replace an ACL ${noun}. Without an ID, create one.`,
      body: kind.body,
      reply: { 200: schema },
      run: ({ context, params }) => {
        checkEnabled(context)
        const { id } = params
        const body = kind.decode(context)
        if (body.ID && body.ID !== id) throw refuse('ids-differ', { Noun })
        const { namespace } = authorizeWrite(context, body)
        const { world } = context
        const row =
          id === '' ? kind.create(world, namespace, body) : kind.update(world, namespace, id, body)
        return ok(new JsonText(kind.json(context, row)))
      },
    }),
    operation.get(`readAcl${Noun}`, `/acl/${noun}/:id`, {
      access: readAccess,
      summary: `Read an ACL ${noun}.`,
      reply: { 200: schema, 404: failureReply },
      run: ({ context, params }) => {
        checkEnabled(context)
        const id = requireId(params.id)
        return readOne(context, (world, namespace) => kind.withId(world, namespace, id))
      },
    }),
    operation.get(`readAcl${Noun}ByName`, `/acl/${noun}/name/:name`, {
      access: readAccess,
      summary: `Read an ACL ${noun} by its name.`,
      reply: { 200: schema, 404: failureReply },
      run: ({ context, params }) => {
        checkEnabled(context)
        // The reference decodes names a second time, because its client encodes them twice.
        const name = decodePath(params.name)
        if (name === '') throw refuse('name-missing', { noun })
        return readOne(context, (world, namespace) => kind.withName(world, namespace, name))
      },
    }),
    operation.delete(`deleteAcl${Noun}`, `/acl/${noun}/:id`, {
      access: writeAccess,
      summary: `Delete an ACL ${noun}; links to it give nothing from then on.`,
      failures: [404],
      reply: { 200: deletedReply },
      run: ({ context, params }) => {
        checkEnabled(context)
        const id = requireId(params.id)
        kind.remove(context.world, authorizeWrite(context).namespace, id)
        return deletedAnswer
      },
    }),
  ]
}

/** Operations on roles (behaviour/mesh#acl-endpoints). */
export const roleOperations = [
  ...namedOperations<AclRole, ParsedOf<typeof roleBody>>({
    // As in the reference, the message says that the ID differs from that in the path, which is
    // empty here.
    refuseId: () => refuse('ids-differ', { Noun: 'Role' }),
    noun: 'role',
    Noun: 'Role',
    dataKind: roleDataKind,
    schema: roleReply,
    body: roleBody,
    decode: (context) => context.decode(roleBody, 'Role'),
    create: (world, namespace, body) => createRole(world, namespace, roleInputOf(body)),
    update: (world, namespace, id, body) => updateRole(world, namespace, id, roleInputOf(body)),
    remove: deleteRole,
    withId: roleWithId,
    withName: roleNamed,
    json: ({ world, dialect }, role) => roleJson(world, role, dialect),
  }),
  operation.get('listAclRoles', '/acl/roles', {
    access: listAccess,
    summary: 'List the ACL roles of a namespace.',
    query: parameters({ policy: described(text, 'Linked to this policy') }),
    reply: { 200: list(roleReply) },
    run: ({ context }) => {
      const policy = context.query.value('policy')
      const matchesFilter = ({ policies }: AclRole) =>
        policy === undefined || policies.includes(policy)
      return listAcl(
        context,
        roleDataKind,
        (namespace) => {
          if (policy !== undefined && !isUuid(policy)) {
            throw refuse('lookup-id-no-uuid', { kind: 'role' })
          }
          return rolesIn(context.world, namespace).filter(matchesFilter)
        },
        () => (role) => roleJson(context.world, role, context.dialect),
      )
    },
  }),
]

/** Operations on policies (behaviour/mesh#acl-endpoints). */
export const policyOperations = [
  ...namedOperations<AclPolicy, ParsedOf<typeof policyBody>>({
    refuseId: () => refuse('id-of-new', { noun: 'policy' }),
    noun: 'policy',
    Noun: 'Policy',
    dataKind: policyDataKind,
    schema: policyReply,
    body: policyBody,
    decode: (context) => context.decode(policyBody, 'Policy'),
    create: (world, namespace, body) => createPolicy(world, namespace, policyInputOf(body)),
    update: (world, namespace, id, body) => updatePolicy(world, namespace, id, policyInputOf(body)),
    remove: deletePolicy,
    withId: policyWithId,
    withName: policyNamed,
    json: ({ world, dialect }, policy) => policyJson(world, policy, dialect),
  }),
  operation.get('listAclPolicies', '/acl/policies', {
    access: listAccess,
    summary: 'List the ACL policies of a namespace, without their rules.',
    reply: { 200: list(policyStubReply) },
    run: ({ context }) =>
      listAcl(
        context,
        policyDataKind,
        (namespace) => policiesIn(context.world, namespace),
        () => (policy) => stubJson(context.world, policy, context.dialect),
      ),
  }),
]
