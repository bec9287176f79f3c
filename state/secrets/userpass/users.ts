import { list, text } from '../../kernel/shape/kinds.ts'
import { secret, struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { isLoginName } from '../logins/names.ts'
import { applyChangeUnderBothNames, type DeprecatedFieldsChange } from '../logins/old-names.ts'
import { defaultTokenFields, type TokenFieldsChange, tokenFields } from '../logins/token-fields.ts'
import { type Mount, NamedRows, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'

const userShape = struct({
  /** Stored in plain text, because the passwords of a test double need no protection. */
  password: secret(text),
  ...tokenFields,
  /**
   * Old names under which token fields were written. Reads also return the fields under these
   * names.
   */
  old_names: list(text),
  ...walField,
})

/** Users by `<mount uuid>/<name in lower case>`. */
export const userTable = secretsTable('userpass-users', userShape, {
  secrets: { members: ['password'] },
})

/** A change of a user; members that are left out keep their values. */
interface UserChange extends TokenFieldsChange, DeprecatedFieldsChange {
  readonly password?: string | undefined
}

/**
 * Converts a name to lower case.
 * @throws Refusal for a name that is invalid in a path
 */
export function userName(text: string): string {
  if (!isLoginName(text)) throw refuse('unsupported-path')
  return text.toLowerCase()
}

export const users = new NamedRows(userTable, () => refuse('nothing-here'), userName)

/** Maximum length of a password in bytes; bcrypt, which the reference uses, sets this limit. */
const maxPasswordLength = 72

/**
 * Creates or changes a user; a new user needs a password.
 * @throws Refusal `invalid` for the first check that fails, in the order of behaviour/secrets#userpass
 */
export function writeUser(world: World, mount: Mount, name: string, change: UserChange): void {
  const before = users.find(world, mount, name)
  const { password = before?.password ?? '', ...fieldsChange } = change
  const requirePassword = () => {
    if (password === '') throw refuse('userpass-password-missing')
  }
  if (before === undefined) requirePassword()
  const { tokens, oldNamesInUse } = applyChangeUnderBothNames(
    before ?? defaultTokenFields,
    before?.old_names ?? [],
    fieldsChange,
    () => {
      requirePassword()
      if (Buffer.byteLength(password) > maxPasswordLength) {
        throw refuse('userpass-password-too-long')
      }
    },
  )
  users.put(world, mount, name, { password, ...tokens, old_names: oldNamesInUse })
}

/**
 * Changes the password or the policies of an existing user.
 * @throws Refusal for an unknown user, and the refusals of `writeUser`
 */
export function changeUser(world: World, mount: Mount, name: string, change: UserChange): void {
  if (users.find(world, mount, name) === undefined) throw refuse('userpass-user-absent')
  writeUser(world, mount, name, change)
}
