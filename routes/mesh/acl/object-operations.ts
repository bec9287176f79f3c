import type { Shape, StructShape } from '../../../state/kernel/shape/kinds.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { refuse } from '../../../state/mesh/acl/messages.ts'
import { ok } from '../../http/declare/operation.ts'
import { decodePath } from '../../http/decode-path.ts'
import type { JsonText } from '../../http/json-text.ts'
import type { MeshContext } from '../operation.ts'
import {
  type AclOperation,
  authorizeWrite,
  type BodyScope,
  deletionAnswer,
  namespaceOfRead,
  notFoundReply,
  readAccess,
  readAcl,
  writeAccess,
} from './access.ts'
import { deletedReply, failureReply } from './views.ts'

/**
 * Names, shapes and functions of a kind of ACL object. The operations of the kind are declared from
 * these members.
 */
interface ObjectKind<Row, Body extends BodyScope> {
  /** Noun with an article, such as `an ACL policy`, for the summaries of operations. */
  readonly nounWithArticle: string
  readonly noun: 'policy' | 'role' | 'auth method' | 'binding rule'
  /** Noun in operation IDs and in messages about bodies. */
  readonly Noun: 'Policy' | 'Role' | 'AuthMethod' | 'BindingRule'
  readonly path: `/acl/${string}`
  /** Name of the path parameter that holds the key of the object. */
  readonly parameter: 'name' | 'id'
  readonly summaries: { readonly [Verb in 'create' | 'update' | 'delete']: string }
  /** Name under which the index of the objects is stored. */
  readonly dataKind: string
  readonly schema: Shape
  /** Shape of the body for the OpenAPI document. */
  readonly body: StructShape
  decode(context: MeshContext): Body
  /** Throws a refusal if the key in the path is empty. */
  requireKey(key: string): void
  /**
   * Throws a refusal if a body names another object than the path. A creation has no key in its
   * path, so `key` is undefined; the key of an update may be empty.
   */
  checkKey(body: Body, key: string | undefined): void
  /**
   * Replaces the object with a key, or creates an object if the key is empty. The key of an auth
   * method is its name: an empty key stands for the name in the body, and a method with an unknown
   * name is created.
   */
  write(world: World, namespace: string, key: string, body: Body): Row
  find(world: World, namespace: string, key: string): Row | undefined
  /** Returns the object with a name, for kinds whose key is not the name. */
  findByName?(world: World, namespace: string, name: string): Row | undefined
  /** Throws a refusal if the caller may not delete. Returns the namespace of the object. */
  authorizeDeletion(context: MeshContext): string
  remove(world: World, namespace: string, key: string): void
  json(context: MeshContext, row: Row): JsonText
}

/** Reads an object. The reply is the object that `find` returns, or a 404 if there is none. */
function readObject<Row, Body extends BodyScope>(
  { noun, dataKind, json }: ObjectKind<Row, Body>,
  context: MeshContext,
  find: (world: World, namespace: string) => Row | undefined,
) {
  return readAcl<404>(context, dataKind, () => {
    const namespace = namespaceOfRead(context)
    const row = find(context.world, namespace)
    return row === undefined
      ? notFoundReply(context, noun, namespace)
      : { body: json(context, row) }
  })
}

/** Declares the operations that create, replace, read and delete objects of a kind. */
export function objectOperations<Row, Body extends BodyScope>(
  operation: AclOperation,
  kind: ObjectKind<Row, Body>,
) {
  const { Noun, noun, nounWithArticle, path, parameter, summaries, schema, findByName } = kind
  const objectPath = `${path}/:${parameter}`
  const keyOf = ({ params }: MeshContext) => params[parameter] ?? ''

  function requiredKey(context: MeshContext): string {
    const key = keyOf(context)
    kind.requireKey(key)
    return key
  }

  function write(context: MeshContext, key: string | undefined) {
    const body = kind.decode(context)
    kind.checkKey(body, key)
    const { namespace } = authorizeWrite(context, body)
    return ok(kind.json(context, kind.write(context.world, namespace, key ?? '', body)))
  }

  return [
    operation.put(`createAcl${Noun}`, path, {
      access: writeAccess,
      summary: summaries.create,
      body: kind.body,
      reply: { 200: schema },
      run: ({ context }) => write(context, undefined),
    }),
    operation.put(`updateAcl${Noun}`, objectPath, {
      access: writeAccess,
      summary: summaries.update,
      body: kind.body,
      reply: { 200: schema },
      run: ({ context }) => write(context, keyOf(context)),
    }),
    operation.get(`readAcl${Noun}`, objectPath, {
      access: readAccess,
      summary: `Read ${nounWithArticle}.`,
      reply: { 200: schema, 404: failureReply },
      run: ({ context }) => {
        const key = requiredKey(context)
        return readObject(kind, context, (world, namespace) => kind.find(world, namespace, key))
      },
    }),
    ...(findByName === undefined
      ? []
      : [
          operation.get(`readAcl${Noun}ByName`, `${path}/name/:name`, {
            access: readAccess,
            summary: `Read ${nounWithArticle} by its name.`,
            reply: { 200: schema, 404: failureReply },
            run: ({ context, params }) => {
              // The reference decodes names a second time, because its client encodes them twice.
              const name = decodePath(params.name)
              if (name === '') throw refuse('name-missing', { noun })
              return readObject(kind, context, (world, namespace) =>
                findByName(world, namespace, name),
              )
            },
          }),
        ]),
    operation.delete(`deleteAcl${Noun}`, objectPath, {
      access: writeAccess,
      summary: summaries.delete,
      failures: [404],
      reply: { 200: deletedReply },
      run: ({ context }) => {
        const key = requiredKey(context)
        kind.remove(context.world, kind.authorizeDeletion(context), key)
        return deletionAnswer
      },
    }),
  ]
}
