import { bool, constant, list, map, text, union } from '../../../state/kernel/shape/kinds.ts'
import { secret, struct } from '../../../state/kernel/shape/members.ts'
import { isOrganizationToken, isOwner } from '../../../state/platform/accounts/callers.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import {
  changedConfiguration,
  newConfiguration,
  type Subscribable,
} from '../../../state/platform/notifications/changes.ts'
import {
  configurationAttributes,
  configurationsOf,
  configurationWithId,
  type DeliveryResponse,
  dropConfiguration,
  type NotificationConfiguration,
  subscribableTypes,
} from '../../../state/platform/notifications/configurations.ts'
import { teamWithId } from '../../../state/platform/organizations/teams.ts'
import { projectWithId } from '../../../state/platform/projects/projects.ts'
import { managesProject } from '../../../state/platform/team-access/rights.ts'
import { attributeTime } from '../../../state/platform/timestamps.ts'
import { checkRightOn } from '../../../state/platform/workspaces/rights.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import {
  attributeRenderer,
  inState,
  optionalMembers,
  strictFlag,
  strictText,
} from '../json-api/attributes.ts'
import { identifiersIn, relatedItems } from '../json-api/body.ts'
import { pageOrAll } from '../json-api/pagination.ts'
import {
  documentOf,
  identifierOf,
  listOf,
  type Resource,
  relationsOf,
  resourceShape,
  selfLink,
  unpagedListOf,
} from '../json-api/resource.ts'
import { operationsOn, type ParsedBody, type Scope } from '../operation.ts'
import { checkMember } from '../organizations/scopes.ts'
import { storeAfterVerification } from './verification.ts'

/** Shape of the last reply of a destination. */
const deliveryResponseShape = struct({
  url: text,
  body: text,
  code: text,
  headers: map(list(text)),
  'sent-at': text,
  successful: bool,
})

/** Renders the last reply of a destination. */
function deliveryResponse({ sent_at, ...response }: DeliveryResponse) {
  return { ...response, 'sent-at': attributeTime(sent_at) }
}

const type = 'notification-configurations'
const renderer = attributeRenderer(configurationAttributes)

const shape = resourceShape(
  type,
  struct({
    ...renderer.shape.fields,
    token: constant(null),
    'delivery-responses': list(deliveryResponseShape),
  }),
  {
    relationships: struct({
      subscribable: struct({ data: union(...subscribableTypes.map(identifierOf)) }),
      users: relationsOf('users'),
    }),
    links: selfLink,
  },
)

function resourceOf(configuration: NotificationConfiguration): Resource {
  const { id, subscribable, subscribable_type, users, last_response } = configuration
  return {
    id,
    type,
    attributes: {
      ...renderer.render(configuration),
      token: null,
      'delivery-responses': last_response === null ? [] : [deliveryResponse(last_response)],
    },
    relationships: {
      subscribable: { data: { id: subscribable, type: subscribable_type } },
      users: { data: users.map((user) => ({ id: user, type: 'users' })) },
    },
    links: { self: `/api/v2/${type}/${id}` },
  }
}

const inputAttributes = optionalMembers({
  'destination-type': strictText,
  name: strictText,
  url: strictText,
  token: secret(strictText),
  enabled: strictFlag,
  triggers: union(list(text)),
  'email-addresses': union(list(text)),
  'email-all-members': strictFlag,
})

function inputOf({ attributes, relationships }: ParsedBody<typeof inputAttributes>) {
  const users = relatedItems(relationships, 'users')
  return {
    ...inState(attributes),
    ...(users === undefined ? {} : { users: identifiersIn(users, 'users') }),
  }
}

/**
 * Functions that find a workspace, a team or a project by id. Each throws 404 unless the caller may
 * configure notifications about the object, and 401 if the organization does not accept the
 * caller's kind of token.
 */
const subscribableFinders: Readonly<
  Record<(typeof subscribableTypes)[number], (scope: Scope, id: string) => Subscribable>
> = {
  workspaces(scope, id) {
    const workspace = requireFound(workspaceWithId(scope.world, id))
    checkMember(scope.world, scope.caller, workspace.organization)
    // The organization's own token has this right, and so have administrators of the workspace.
    checkRightOn(scope.world, scope.caller, workspace, 'settings')
    const { organization } = workspace
    return { subscribable: id, subscribable_type: 'workspaces', organization }
  },
  teams({ world, caller }, id) {
    const { organization } = requireFound(teamWithId(world, id))
    const isPermitted =
      isOwner(world, caller, organization) || isOrganizationToken(caller, organization)
    if (!isPermitted) throw refuse('not-found')
    checkMember(world, caller, organization)
    return { subscribable: id, subscribable_type: 'teams', organization }
  },
  projects({ world, caller }, id) {
    const project = requireFound(projectWithId(world, id))
    checkMember(world, caller, project.organization)
    if (!managesProject(world, caller, project, 'update')) throw refuse('not-found')
    const { organization } = project
    return { subscribable: id, subscribable_type: 'projects', organization }
  },
}

/**
 * Returns the configuration in the path. Throws 404 for an unknown configuration, and the refusals
 * of the function in `subscribableFinders` that finds its workspace, team or project.
 */
function findConfiguration(scope: Scope): NotificationConfiguration {
  const id = scope.params['notification_configuration_id'] ?? ''
  const configuration = requireFound(configurationWithId(scope.world, id))
  subscribableFinders[configuration.subscribable_type](scope, configuration.subscribable)
  return configuration
}

const spec = 'behaviour/platform#notifications'
const rendering = { shape, render: resourceOf }

const onConfiguration = operationsOn('caller', findConfiguration, spec)
const onePath = '/notification-configurations/:notification_configuration_id'
const form = { type, attributes: inputAttributes } as const

const owners = [
  ['workspaces', 'workspace_id', 'Workspace'],
  ['teams', 'team_id', 'Team'],
  ['projects', 'project_id', 'Project'],
] as const

/** Operations that list and create configurations, for each type of object. */
const listOperations = owners.flatMap(([kind, parameter, noun]) => {
  const find = (scope: Scope) => subscribableFinders[kind](scope, scope.params[parameter] ?? '')
  const on = operationsOn('caller', find, spec)
  const path = `/${kind}/:${parameter}/notification-configurations` as const
  const lowerCaseNoun = noun.toLowerCase()
  return [
    on('GET', path, {
      id: `list${noun}Notifications`,
      summary: `List the notification configurations of a ${lowerCaseNoun}, newest first.`,
      reply: { 200: union(unpagedListOf(shape), listOf(shape)) },
      run: ({ context: { world, subject, address } }) => {
        const all = configurationsOf(world, subject.subscribable).toReversed()
        return ok(pageOrAll(all, resourceOf, address))
      },
    }),
    on('POST', path, {
      id: `create${noun}Notification`,
      summary: `Send notifications about a ${lowerCaseNoun} to an address.`,
      body: form,
      failures: [400, 404],
      reply: { 201: documentOf(shape) },
      run: ({ context, body }) => {
        const created = newConfiguration(context.world, context.subject, inputOf(body()))
        return storeAfterVerification(context, created, created.enabled, (stored) =>
          answer(201, { data: resourceOf(stored) }),
        )
      },
    }),
  ]
})

export const notificationOperations = [
  ...listOperations,
  onConfiguration.document('GET', onePath, rendering, {
    id: 'readNotification',
    summary: 'Read a notification configuration.',
    run: ({ context }) => context.subject,
  }),
  onConfiguration('PATCH', onePath, {
    id: 'changeNotification',
    summary: 'Change a notification configuration.',
    body: form,
    failures: [400],
    reply: { 200: documentOf(shape) },
    run: ({ context, body }) => {
      const { world, subject } = context
      const changed = changedConfiguration(world, subject, inputOf(body()))
      const isEnabled = changed.enabled && !subject.enabled
      return storeAfterVerification(context, changed, isEnabled, (stored) => {
        return ok({ data: resourceOf(stored) })
      })
    },
  }),
  onConfiguration('DELETE', onePath, {
    id: 'deleteNotification',
    summary: 'Delete a notification configuration.',
    run: ({ context: { world, subject } }) => world.write(() => dropConfiguration(world, subject)),
  }),
  onConfiguration('POST', `${onePath}/actions/verify`, {
    id: 'verifyNotification',
    summary: 'Send a notification that verifies the address.',
    failures: [400],
    reply: { 200: documentOf(shape) },
    run: ({ context }) =>
      storeAfterVerification(context, context.subject, true, (stored) =>
        ok({ data: resourceOf(stored) }),
      ),
  }),
]
