import type { Message } from '../../kernel/message.ts'
import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { bool, list, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { commonMessages } from '../common-messages.ts'
import { loginMessages } from '../logins/messages.ts'
import { applyChangeUnderBothNames, type DeprecatedFieldsChange } from '../logins/old-names.ts'
import {
  defaultTokenFields,
  type TokenFields,
  type TokenFieldsChange,
  tokenFields,
} from '../logins/token-fields.ts'
import { type Mount, MountRow, NamedRows, walField } from '../mounts/mounts.ts'
import { optionsOf } from '../options.ts'
import { secretsTable } from '../table.ts'
import { sanitizePolicies } from '../tokens/creation.ts'
import type { Token } from '../tokens/rows.ts'

export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...loginMessages,
  ...refusals('invalid', {
    'okta-not-configured': 'Okta auth method not configured',
    'okta-organization-missing': 'org_name is missing',
    'okta-refused':
      'Okta auth failed: the API returned an error: Authentication failed (code=E0000004)',
    'okta-token-refused':
      'Okta auth failed: the API returned an error: Invalid token provided (code=E0000011)',
    'okta-unreachable': 'Okta auth failed: dial tcp: {why}',
    'okta-status-refused': 'okta authentication failed',
    'okta-push-denied': 'multi-factor authentication denied',
    'okta-passcode-missing': "'totp' passcode parameter is required to perform MFA",
  }),
  'okta-groups-none': {
    text: 'no Okta groups found; only policies from locally-defined groups available',
  },
  'okta-mfa-bypassed': {
    text: 'Okta MFA bypass is configured. In addition to ignoring Okta MFA requests, certain other account statuses will not be seen, such as PASSWORD_EXPIRED. Authentication will succeed in these cases.',
  },
})

/**
 * Configuration of an Okta login method: the organization whose members may log in, and the
 * settings of their tokens (behaviour/secrets#okta).
 */
const oktaConfigShape = struct({
  org_name: text,
  api_token: text,
  base_url: text,
  bypass_okta_mfa: bool,
  ...tokenFields,
  /**
   * Old names under which token fields were written. Reads also return the fields under these
   * names.
   */
  old_names: list(text),
  ...walField,
})
interface OktaConfig extends StoredOf<typeof oktaConfigShape> {}

/** Configurations by `<mount uuid>/`. */
export const oktaConfigTable = secretsTable('okta-configs', oktaConfigShape, {
  secrets: { members: ['api_token'] },
})

export const oktaConfigs = new MountRow<OktaConfig>(oktaConfigTable, () => refuse('nothing-here'))

/**
 * Policies that the mount assigns to a group or user of the directory. A user belongs to the groups
 * that the directory assigns, and to those in `groups`.
 */
const oktaEntryShape = struct({ policies: list(text), groups: list(text), ...walField })
export interface OktaEntry extends StoredOf<typeof oktaEntryShape> {}

/** Configured groups by `<mount uuid>/<name in lower case>`. */
export const oktaGroupTable = secretsTable('okta-groups', oktaEntryShape, { secrets: 'none' })

/** Configured users by `<mount uuid>/<name>`. */
export const oktaUserTable = secretsTable('okta-users', oktaEntryShape, { secrets: 'none' })

const absentRefusal = () => refuse('nothing-here')

export const oktaGroups = new NamedRows<OktaEntry>(oktaGroupTable, absentRefusal)
export const oktaUsers = new NamedRows<OktaEntry>(oktaUserTable, absentRefusal, (name) => name)

/**
 * Creates or replaces a group or user of the mount. Members that are left out become empty; the
 * policies are normalized by `sanitizePolicies`.
 */
export function writeOktaEntry(
  rows: NamedRows<OktaEntry>,
  world: World,
  mount: Mount,
  name: string,
  { policies = [], groups = [] }: Partial<OktaEntry>,
): void {
  rows.put(world, mount, name, { policies: sanitizePolicies(policies, false), groups })
}

/** A change of the configuration; members that are left out keep their values. */
type OktaConfigChange = TokenFieldsChange &
  DeprecatedFieldsChange & {
    readonly [Name in 'org_name' | 'api_token' | 'base_url' | 'bypass_okta_mfa']?:
      | OktaConfig[Name]
      | undefined
  }

/**
 * Changes the configuration and returns warnings about it.
 * @throws Refusal `invalid` if no organization is set, and for invalid token fields
 */
export function writeOktaConfig(
  world: World,
  mount: Mount,
  change: OktaConfigChange,
): readonly Message[] {
  const defaults = {
    org_name: '',
    api_token: '',
    base_url: '',
    bypass_okta_mfa: false,
    old_names: [],
  }
  const before: OktaConfig = oktaConfigs.find(world, mount) ?? {
    ...defaults,
    ...defaultTokenFields,
  }
  const {
    org_name = before.org_name,
    api_token = before.api_token,
    base_url = before.base_url,
    bypass_okta_mfa = before.bypass_okta_mfa,
  } = change
  if (org_name === '') throw refuse('okta-organization-missing')
  const members = { org_name, api_token, base_url, bypass_okta_mfa }
  const { tokens, oldNamesInUse } = applyChangeUnderBothNames(before, before.old_names, change)
  const config = { ...members, ...tokens, old_names: oldNamesInUse }
  oktaConfigs.put(world, mount, config)
  return oktaWarnings(config)
}

/** Returns the warnings that replies about a configuration contain. */
export function oktaWarnings({ bypass_okta_mfa }: OktaConfig): readonly Message[] {
  return bypass_okta_mfa ? [message('okta-mfa-bypassed')] : []
}

/** A user of the directory, with the data for a login. */
interface OktaPerson {
  readonly fields: TokenFields
  /** Names of the policies of the user and of the groups, sorted. */
  readonly policies: readonly string[]
  readonly groups: readonly string[]
  readonly warnings: readonly Message[]
}

/**
 * Returns a user of the directory after checking the password, the account's status and the second
 * factor. The setting `bypass_okta_mfa` skips the last two checks.
 * @throws Refusal `invalid` for the first check that fails, in the order of behaviour/secrets#okta
 */
export function oktaPerson(
  world: World,
  mount: Mount,
  name: string,
  { password, totp }: { readonly password: string; readonly totp: string },
): OktaPerson {
  const config = requireConfig(world, mount)
  const { users = {} } = optionsOf(world).directory.okta ?? {}
  const user = Object.hasOwn(users, name) ? users[name] : undefined
  if (user === undefined || user.password !== password) throw refuse('okta-refused')
  const { status = 'SUCCESS', factor = 'none' } = user
  if (!config.bypass_okta_mfa) {
    if (status !== 'SUCCESS') throw refuse('okta-status-refused')
    if (factor === 'push-denied') throw refuse('okta-push-denied')
    if (factor === 'totp' && totp === '') throw refuse('okta-passcode-missing')
  }
  return grantsOf(world, mount, config, name)
}

function requireConfig(world: World, mount: Mount): OktaConfig {
  const config = oktaConfigs.find(world, mount)
  if (config === undefined) throw refuse('okta-not-configured')
  const { directoryFault } = optionsOf(world)
  if (directoryFault === 'refused') throw refuse('okta-token-refused')
  if (directoryFault === 'none') return config
  const why = directoryFault === 'slow' ? 'i/o timeout' : 'connect: connection refused'
  throw refuse('okta-unreachable', { why })
}

function grantsOf(world: World, mount: Mount, config: OktaConfig, name: string): OktaPerson {
  const { users = {} } = optionsOf(world).directory.okta ?? {}
  const known = users[name]?.groups ?? []
  const entry = oktaUsers.find(world, mount, name)
  const groups = [...new Set([...known, ...(entry?.groups ?? [])])]
  const granted = groups.flatMap((group) => oktaGroups.find(world, mount, group)?.policies ?? [])
  const policies = sanitizePolicies([...(entry?.policies ?? []), ...granted], false)
  return {
    fields: { ...config, token_policies: [...config.token_policies, ...policies] },
    policies,
    groups,
    warnings: known.length === 0 ? [message('okta-groups-none')] : [],
  }
}

/**
 * Returns the token fields that the user of a token would get by logging in now.
 * @throws Refusal `invalid` if the method is not configured or the directory refuses or fails
 */
export function oktaFieldsOf(world: World, mount: Mount, token: Token): TokenFields {
  const config = requireConfig(world, mount)
  return grantsOf(world, mount, config, token.meta?.['username'] ?? '').fields
}
