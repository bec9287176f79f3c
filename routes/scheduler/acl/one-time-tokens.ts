import { text, uint } from '../../../state/kernel/shape/kinds.ts'
import { secret, struct } from '../../../state/kernel/shape/members.ts'
import {
  createOneTimeToken,
  exchangeOneTimeToken,
  oneTimeTokenShape,
} from '../../../state/scheduler/acl/one-time-tokens.ts'
import { aclTokenShape } from '../../../state/scheduler/acl/tables.ts'
import { tokenReply } from '../../../state/scheduler/acl/token-bodies.ts'
import { serverWriteRequestMembers } from '../../../state/scheduler/body-addresses.ts'
import { requiresAnyOf, within } from '../access.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#one-time-tokens' })

/** Operations that hand a token to a browser without putting the token into a URL. */
export const oneTimeTokenOperations = [
  operation.post('createJobOneTimeToken', '/acl/token/onetime', {
    access: within(requiresAnyOf('holder')),
    summary: "Create a secret that can be exchanged once for the caller's token.",
    reply: {
      200: struct('OneTimeTokenUpsertResponse', { OneTimeToken: oneTimeTokenShape, Index: uint }),
    },
    run({ context }) {
      const OneTimeToken = createOneTimeToken(context.world, context.secret)
      const { ModifyIndex: Index } = OneTimeToken
      return context.writeReply({ OneTimeToken, Index }, Index)
    },
  }),
  operation.post('exchangeJobOneTimeToken', '/acl/token/onetime/exchange', {
    access: within(requiresAnyOf('holder')),
    summary: 'Exchange a one-time secret for its token.',
    body: struct('OneTimeTokenExchangeRequest', {
      OneTimeSecretID: secret(text),
      ...serverWriteRequestMembers,
    }),
    bodyAddress: ({ Region }) => ({ Region }),
    reply: {
      200: struct('OneTimeTokenExchangeResponse', { Token: aclTokenShape, Index: uint }),
    },
    run({ context, body }) {
      const { world } = context
      const token = exchangeOneTimeToken(world, body().OneTimeSecretID ?? '')
      return context.writeReplyWithIndex({ Token: tokenReply(world, token) })
    },
  }),
]
