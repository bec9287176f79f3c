import { map, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { isLoginName } from '../../../state/secrets/logins/names.ts'
import { neutralAccessor } from '../../../state/secrets/mounts/types.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { dialectData, type SecretsOutcome } from '../envelope/outcome.ts'
import { envelopeOf } from '../envelope/schemas.ts'
import { texts } from '../fields/field-kinds.ts'
import { refuse } from '../messages.ts'

/** What people say of entities and groups. */
export const metadata = described(map(text), 'Remarks, for people and templates of policies')

export const policies = texts('Policies of its tokens, beside their own')

/** The fields of an alias that a write of its id takes too. */
export const aliasFields = {
  name: described(text, 'The name at the login method'),
  mount_accessor: described(text, 'The accessor of the login method'),
} as const

/** The marks by which something is looked up. */
export const queryFields = {
  id: described(text, 'The id'),
  name: described(text, 'The name'),
  alias_id: described(text, 'The id of an alias'),
  alias_name: described(text, 'The name of an alias; with alias_mount_accessor'),
  alias_mount_accessor: described(text, 'The accessor of the method of the alias'),
} as const

/** The reply of writing an alias. */
export const aliasWrittenEnvelope = envelopeOf(
  struct({ id: text, canonical_id: described(text, 'The entity, or the group') }),
)

/** A change with the accessor in it as it is kept. */
export function withNeutralAccessor<F extends { readonly mount_accessor?: string | undefined }>(
  fields: F,
): F {
  const { mount_accessor: accessor } = fields
  return accessor === undefined ? fields : { ...fields, mount_accessor: neutralAccessor(accessor) }
}

/** The same for look-ups. */
export function withNeutralAliasAccessor<
  F extends { readonly alias_mount_accessor?: string | undefined },
>(fields: F): F {
  const { alias_mount_accessor: accessor } = fields
  return accessor === undefined
    ? fields
    : { ...fields, alias_mount_accessor: neutralAccessor(accessor) }
}

/** An id of a path. Refuses what no path has. */
export function pathId(text: string): string {
  if (!isLoginName(text)) throw refuse('unsupported-path')
  return text
}

/** 200 with sorted keys and facts about each by id; refuses where there are none. */
export function renderedKeys(
  keys: readonly string[],
  info: (dialect: SecretsDialect) => Readonly<Record<string, object>>,
): SecretsOutcome {
  if (keys.length === 0) throw refuse('nothing-here')
  const sorted = [...keys].sort()
  return dialectData((dialect) => ({ key_info: info(dialect), keys: sorted }))
}
