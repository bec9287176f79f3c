import { any, int, list, map, text, typed, uint } from '../../kernel/shape/kinds.ts'
import { embedded, partial, struct } from '../../kernel/shape/members.ts'
import type { ParsedOf } from '../../kernel/shape/values.ts'
import type { IntentionSource } from '../config/intention-problems.ts'
import type { IntentionInput } from './intention-writes.ts'

/** Members of an intention that name its source and destination. */
export const intentionEnds = {
  SourceNS: text,
  SourceName: text,
  DestinationNS: text,
  DestinationName: text,
} as const

/** Members of an intention that bodies, replies and filters share. */
export const intentionMembers = {
  ID: text,
  Description: text,
  ...intentionEnds,
  SourcePartition: text,
  DestinationPartition: text,
  SourcePeer: text,
  SourceSamenessGroup: text,
  SourceType: text,
  Action: text,
  Meta: map(text),
  Precedence: int,
} as const

export const intentionBody = partial(
  struct('Intention', {
    Hash: text,
    CreatedAt: text,
    UpdatedAt: text,
    ...embedded('Alias', {
      ...intentionMembers,
      SourceType: typed('IntentionSourceType', text),
      Action: typed('IntentionAction', text),
      Permissions: list(any),
      JWT: any,
      DefaultAddr: text,
      DefaultPort: int,
      CreateIndex: uint,
      ModifyIndex: uint,
    }),
  }),
)

export type IntentionBody = ParsedOf<typeof intentionBody>

/** Converts a body to the members of an intention other than its source and destination. */
export function intentionInputOf(body: IntentionBody): IntentionInput {
  return {
    action: body.Action ?? '',
    permissions: (body.Permissions ?? []) as unknown as IntentionSource['Permissions'],
    description: body.Description ?? '',
    type: body.SourceType || 'consul',
    meta: body.Meta ?? {},
  }
}
