import type { World } from '../../kernel/worlds/world.ts'
import { recordRequest } from '../deliveries/sent-requests.ts'
import { checkUrl } from '../deliveries/urls.ts'
import { newId } from '../ids.ts'
import { refuse } from '../messages.ts'
import { isBlank, type TextInput, updatedText } from '../names.ts'
import { optionsOf } from '../options.ts'
import { membershipOf } from '../organizations/memberships.ts'
import { Violations } from '../violations.ts'
import {
  configurationsOf,
  type DeliveryResponse,
  destinationTypes,
  type NotificationConfiguration,
  putConfiguration,
  teamTriggers,
  workspaceTriggers,
} from './configurations.ts'
import { organizationOf, requestOf, verificationOf } from './messages.ts'

/** Members of a request for a notification configuration. Null is handled like a blank string. */
interface NotificationConfigurationInput
  extends TextInput<'destination_type' | 'name' | 'url' | 'token'> {
  readonly enabled?: boolean
  readonly triggers?: readonly string[]
  readonly email_addresses?: readonly string[]
  readonly email_all_members?: boolean
  /** User ids. */
  readonly users?: readonly string[] | undefined
}

/** The workspace, team or project that a notification configuration belongs to. */
export type Subscribable = Pick<NotificationConfiguration, 'subscribable' | 'subscribable_type'> & {
  /** The organization's name. */
  readonly organization: string
}

const maxConfigurations = 20

/**
 * Validates a request and returns the new configuration. The caller stores it. Throws 422 for
 * invalid attributes, and if the workspace, team or project has the maximum number of
 * configurations. Throws 404 for users outside the organization (behaviour/platform#notifications).
 */
export function newConfiguration(
  world: World,
  { organization, ...subscribable }: Subscribable,
  input: NotificationConfigurationInput,
): NotificationConfiguration {
  const now = world.clock.now()
  const created = validate(world, organization, input, {
    id: newId(world, 'nc'),
    ...subscribable,
    destination_type: 'generic',
    name: '',
    url: null,
    token: null,
    enabled: false,
    triggers: [],
    email_addresses: [],
    email_all_members: false,
    users: [],
    last_response: null,
    created_at: now,
    updated_at: now,
  })
  if (configurationsOf(world, subscribable.subscribable).length >= maxConfigurations) {
    throw refuse('too-many-notifications', { limit: maxConfigurations })
  }
  return created
}

/**
 * Validates a change and returns the changed configuration. The caller stores it. Throws 422 for
 * invalid attributes, and 404 for users outside the organization.
 */
export function changedConfiguration(
  world: World,
  before: NotificationConfiguration,
  input: NotificationConfigurationInput,
): NotificationConfiguration {
  const { destination_type: type = before.destination_type, ...others } = input
  const organization = organizationOf(world, before)
  const after = validate(world, organization, { destination_type: type, ...others }, before)
  return { ...after, updated_at: world.clock.now() }
}

/**
 * Records the request that verified a configuration, and stores the configuration with the
 * response. Throws 400 if the destination did not accept the request.
 */
export function storeVerifiedConfiguration(
  world: World,
  configuration: NotificationConfiguration,
  last_response: DeliveryResponse,
): NotificationConfiguration {
  if (!last_response.successful) throw refuse('verification-failed')
  const { url } = configuration
  return world.write(() => {
    const state = optionsOf(world).deliverNotifications ? 'delivered' : 'recorded'
    const request = requestOf(world, configuration, url ?? '', verificationOf(configuration))
    recordRequest(world, { ...request, state })
    return putConfiguration(world, { ...configuration, last_response })
  })
}

function validate(
  world: World,
  organization: string,
  input: NotificationConfigurationInput,
  before: NotificationConfiguration,
): NotificationConfiguration {
  const violations = new Violations()
  const destination_type = destinationTypes.find((type) => type === input.destination_type)
  if (isBlank(input.destination_type)) violations.add('destination-type', 'blank')
  else if (destination_type === undefined) violations.add('destination-type', 'not-listed')
  else if (before.name !== '' && destination_type !== before.destination_type) {
    violations.add('destination-type', 'not-changeable')
  }
  const name = updatedText(input.name, before.name)
  if (isBlank(name)) violations.add('name', 'blank')
  const isMail = destination_type === 'email'
  const url = updatedText(input.url, before.url ?? '')
  if (!isMail) checkUrl(url, violations)
  const allowedTriggers: readonly string[] =
    before.subscribable_type === 'teams' ? teamTriggers : workspaceTriggers
  const triggers = [...new Set(input.triggers ?? before.triggers)]
  if (!triggers.every((trigger) => allowedTriggers.includes(trigger)))
    violations.add('triggers', 'invalid')
  if (violations.hasAny || destination_type === undefined) throw violations.refusal()
  // A write without `users` removes all users.
  const users = [...new Set(input.users ?? [])]
  if (users.some((user) => membershipOf(world, organization, user) === undefined)) {
    throw refuse('not-found')
  }
  return {
    ...before,
    destination_type,
    name,
    url: isMail ? null : url,
    token: input.token === undefined ? before.token : input.token || null,
    enabled: input.enabled ?? before.enabled,
    triggers,
    email_addresses: isMail ? (input.email_addresses ?? before.email_addresses) : [],
    email_all_members: isMail && (input.email_all_members ?? before.email_all_members),
    users: isMail ? users : [],
  }
}
