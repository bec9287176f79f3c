import type { Refusal } from '../../../state/kernel/refusal.ts'
import type { Shape, StructShape } from '../../../state/kernel/shape/kinds.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { ok } from '../../http/declare/operation.ts'
import type { JsonText } from '../../http/json-text.ts'
import { type MeshContext, operationsOf } from '../operation.ts'
import {
  authorizeDeletion,
  authorizeWrite,
  type BodyScope,
  checkEnabled,
  deletedAnswer,
  namespaceOfRead,
  notFound,
  readAccess,
  readAcl,
  writeAccess,
} from './access.ts'
import { deletedReply, failureReply } from './views.ts'

/** Declares the operations on auth methods and binding rules. */
export const operation = operationsOf({ spec: 'behaviour/mesh#auth-methods' })

/** A kind of object that logins need: auth methods or binding rules. */
interface LoginObjectKind<Row, Body extends BodyScope> {
  readonly noun: 'auth method' | 'binding rule'
  /** The noun as operation IDs and messages about bodies have it. */
  readonly Noun: 'AuthMethod' | 'BindingRule'
  readonly path: '/acl/auth-method' | '/acl/binding-rule'
  /** Name of the path parameter with the key of an object. */
  readonly parameter: 'name' | 'id'
  readonly summaries: { readonly [Verb in 'create' | 'update' | 'delete']: string }
  /** Kind of data whose index reads contain. */
  readonly dataKind: string
  readonly schema: Shape
  /** Shape with which `decode` decodes the body. */
  readonly body: StructShape
  decode(context: MeshContext): Body
  /** Returns the refusal of a path without a key. */
  refuseMissingKey(): Refusal
  /** Throws a refusal if a body names another object than the path, whose key may be empty. */
  checkKey(body: Body, key: string): void
  /** Creates or replaces an object. The key is empty if the path has none. */
  write(world: World, namespace: string, key: string, body: Body): Row
  find(world: World, namespace: string, key: string): Row | undefined
  remove(world: World, namespace: string, key: string): void
  json(context: MeshContext, row: Row): JsonText
}

/** Returns the operations that create, replace, read and delete objects of a kind. */
export function loginObjectOperations<Row, Body extends BodyScope>(
  kind: LoginObjectKind<Row, Body>,
) {
  const { noun, Noun, path, parameter, summaries, dataKind, schema } = kind
  const place = `${path}/:${parameter}`

  function requiredKey({ params }: MeshContext): string {
    const key = params[parameter] ?? ''
    if (key === '') throw kind.refuseMissingKey()
    return key
  }

  function write(context: MeshContext, key: string) {
    checkEnabled(context)
    const body = kind.decode(context)
    kind.checkKey(body, key)
    const { namespace } = authorizeWrite(context, body)
    return ok(kind.json(context, kind.write(context.world, namespace, key, body)))
  }

  return [
    operation.put(`createAcl${Noun}`, path, {
      access: writeAccess,
      summary: summaries.create,
      body: kind.body,
      reply: { 200: schema },
      run: ({ context }) => write(context, ''),
    }),
    operation.put(`updateAcl${Noun}`, place, {
      access: writeAccess,
      summary: summaries.update,
      body: kind.body,
      reply: { 200: schema },
      run: ({ context }) => write(context, context.params[parameter] ?? ''),
    }),
    operation.get(`readAcl${Noun}`, place, {
      access: readAccess,
      summary: `Read ${noun === 'auth method' ? 'an' : 'a'} ${noun}.`,
      reply: { 200: schema, 404: failureReply },
      run: ({ context }) => {
        checkEnabled(context)
        const key = requiredKey(context)
        return readAcl<404>(context, dataKind, () => {
          const namespace = namespaceOfRead(context)
          const row = kind.find(context.world, namespace, key)
          return row === undefined
            ? notFound(context, noun, namespace)
            : { body: kind.json(context, row) }
        })
      },
    }),
    operation.delete(`deleteAcl${Noun}`, place, {
      access: writeAccess,
      summary: summaries.delete,
      failures: [404],
      reply: { 200: deletedReply },
      run: ({ context }) => {
        checkEnabled(context)
        const key = requiredKey(context)
        kind.remove(context.world, authorizeDeletion(context, noun).namespace, key)
        return deletedAnswer
      },
    }),
  ]
}
