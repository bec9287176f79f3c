import { any, bool, list } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { bootstrapAcls, bootstrapShape } from '../../../state/scheduler/acl/bootstrap.ts'
import { refuse } from '../../../state/scheduler/acl/messages.ts'
import {
  deletePolicy,
  listPolicies,
  putPolicy,
  readPolicy,
} from '../../../state/scheduler/acl/policies.ts'
import { aclPolicyShape, aclTokenShape } from '../../../state/scheduler/acl/tables.ts'
import { tokenReply, tokenStubReply } from '../../../state/scheduler/acl/token-bodies.ts'
import {
  deleteToken,
  listTokens,
  putToken,
  readOwnToken,
  readToken,
} from '../../../state/scheduler/acl/tokens.ts'
import { dataIndex } from '../../../state/scheduler/indexes.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { forEach, requiresAnyOf, within } from '../access.ts'
import { operationsOf } from '../operation.ts'
import { boolParameter } from '../query.ts'
import { pageInOrder, readData, readObject } from '../reads.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#beyond' })

/**
 * Operations on policies and tokens, and the bootstrap of ACLs. While ACLs are disabled, these
 * operations return 400.
 */
export const aclOperations = [
  operation.post('bootstrapJobAcls', '/acl/bootstrap', {
    access: 'anyone',
    summary: 'Create the first management token; works once.',
    reply: { 200: aclTokenShape },
    body: bootstrapShape,
    bodyAddress: ({ Region }) => ({ Region }),
    bodyOptional: true,
    bodyError: (why) => refuse('bootstrap-unreadable', { why }),
    run({ context, body }) {
      const input = context.hasBody ? body() : undefined
      const token = bootstrapAcls(context.world, input)
      return context.writeReply(tokenReply(context.world, token), token.ModifyIndex)
    },
  }),
  operation.get('listJobAclPolicies', '/acl/policies', {
    access: forEach(requiresAnyOf('management', 'holder')),
    summary: 'List policies; can block.',
    reply: { 200: list(any) },
    run: ({ context }) =>
      readData(context, 'acl-policies', ({ prefix }) =>
        listPolicies(context.world, context.caller, prefix),
      ),
  }),
  operation.get('readJobAclPolicy', '/acl/policy/:name', {
    access: within(requiresAnyOf('management', 'holder')),
    checkPath({ name }) {
      if (name === '') throw refuse('policy-name-missing')
    },
    summary: 'Read a policy; can block.',
    reply: { 200: aclPolicyShape },
    run: ({ context, params: { name } }) =>
      readObject(context, 'acl-policies', () => readPolicy(context.world, context.caller, name)),
  }),
  operation.post('putJobAclPolicy', '/acl/policy/:name', {
    access: within(requiresAnyOf('management')),
    summary: 'Create or replace a policy.',
    body: aclPolicyShape,
    run({ context, params: { name }, body }) {
      const input = body()
      if ((input.Name ?? '') !== name) throw refuse('policy-name-mismatch')
      putPolicy(context.world, context.caller, input, name)
      return context.writeReply()
    },
  }),
  operation.delete('deleteJobAclPolicy', '/acl/policy/:name', {
    access: requiresAnyOf('management'),
    summary: 'Delete a policy.',
    run({ context, params: { name } }) {
      deletePolicy(context.world, context.caller, name)
      return context.writeReply()
    },
  }),
  operation.get('listJobAclTokens', '/acl/tokens', {
    access: requiresAnyOf('management'),
    summary: 'List tokens without their secrets; can block.',
    query: parameters({ global: described(bool, 'Only global tokens') }),
    reply: { 200: list(any) },
    run({ context }) {
      const { world, query } = context
      const globalOnly = boolParameter(query, 'global') ?? false
      return context.read((options) => {
        const visibleTokens = listTokens(world, context.caller, {
          prefix: options.prefix,
          globalOnly,
        }).map((token) => tokenStubReply(world, token))
        const idOf = ({ AccessorID }: { readonly AccessorID: string }) => AccessorID
        const byId = options.prefix !== '' || globalOnly
        const page = pageInOrder(visibleTokens, idOf, byId, aclTokenShape, options)
        const index = dataIndex(world, 'acl-tokens')
        return { index, body: page.items, nextToken: page.nextToken }
      })
    },
  }),
  operation.post('createJobAclToken', '/acl/token', {
    access: within(requiresAnyOf('management')),
    summary: 'Create a token.',
    reply: { 200: aclTokenShape },
    body: aclTokenShape,
    run({ context, body }) {
      // Decode the body before using the caller's token: if both are invalid, the reference reports
      // the body.
      const input = body()
      const token = putToken(context.world, context.caller, input)
      return context.writeReply(tokenReply(context.world, token), token.ModifyIndex)
    },
  }),
  operation.get('readOwnJobAclToken', '/acl/token/self', {
    access: within(requiresAnyOf('holder')),
    summary: "Read the caller's own token; can block.",
    failures: [404],
    reply: { 200: aclTokenShape },
    run({ context }) {
      const { world } = context
      return readObject(context, 'acl-tokens', () =>
        tokenReply(world, readOwnToken(world, context.secret)),
      )
    },
  }),
  operation.get('readJobAclToken', '/acl/token/:accessor', {
    tokenResolver: 'client',
    access: within(requiresAnyOf('management', 'holder')),
    checkPath({ accessor }) {
      if (accessor === '') throw refuse('token-accessor-missing')
    },
    summary: 'Read a token; can block.',
    reply: { 200: aclTokenShape },
    run({ context, params: { accessor } }) {
      const { world } = context
      return readObject(context, 'acl-tokens', () =>
        tokenReply(world, readToken(world, context.caller, accessor)),
      )
    },
  }),
  operation.post('updateJobAclToken', '/acl/token/:accessor', {
    access: within(requiresAnyOf('management')),
    summary: 'Update a token.',
    reply: { 200: aclTokenShape },
    body: aclTokenShape,
    run({ context, params: { accessor }, body }) {
      // Decode the body before using the caller's token: if both are invalid, the reference reports
      // the body.
      const input = body()
      const token = putToken(context.world, context.caller, input, accessor)
      return context.writeReply(tokenReply(context.world, token), token.ModifyIndex)
    },
  }),
  operation.delete('deleteJobAclToken', '/acl/token/:accessor', {
    access: requiresAnyOf('management'),
    summary: 'Delete a token.',
    run({ context, params: { accessor } }) {
      deleteToken(context.world, context.caller, accessor)
      return context.writeReply()
    },
  }),
]
