import { text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { InputOf } from '../../../state/kernel/shape/values.ts'
import { checkRight, checkTokenKind } from '../../../state/platform/accounts/callers.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import {
  changeModule,
  createModule,
  publishModule,
} from '../../../state/platform/modules/changes.ts'
import { type Module, modulesUnder } from '../../../state/platform/modules/modules.ts'
import { oauthClientOfToken } from '../../../state/platform/modules/oauth-clients.ts'
import { findModuleVersion } from '../../../state/platform/modules/versions.ts'
import { noCodeModuleOf } from '../../../state/platform/no-code/no-code-modules.ts'
import { bindingsOf } from '../../../state/platform/tags/tags.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { inState, openQuery } from '../json-api/attributes.ts'
import { inclusionsOf } from '../json-api/include.ts'
import { pageOf } from '../json-api/pagination.ts'
import { documentOf, listOf, unpagedListOf, withExtraFields } from '../json-api/resource.ts'
import { noCodeResource, noCodeShape, noCodeType } from '../no-code/no-code-resource.ts'
import { operationsOn, type PlatformContext } from '../operation.ts'
import { findOrganization, findOrganizationFor } from '../organizations/scopes.ts'
import { bindingType } from '../workspaces/tag-input.ts'
import { bindingResource, bindingShape } from '../workspaces/tag-resource.ts'
import {
  changeForm,
  moduleForm,
  parseModuleChange,
  parsePublication,
  publicationForm,
} from './module-input.ts'
import { moduleResource, moduleShape, versionResource, versionShape } from './module-resource.ts'
import { versionOperations } from './module-versions.ts'
import { byFullName, byShortName, findModuleBy, findModuleById } from './registry-scope.ts'

const spec = 'behaviour/platform#surroundings'
const deprecated = 'behaviour/platform#api-versioning; behaviour/platform#surroundings'

const listPath = '/organizations/:organization_name/registry-modules'
const namePath = `${listPath}/:registry_name/:namespace/:name` as const
const onePath = `${namePath}/:provider` as const
const showPath = '/registry-modules/show/:organization_name/:name/:provider'

const moduleReply = documentOf(moduleShape)

const onOrganization = operationsOn('caller', findOrganization, spec)
const onManagedOrganization = operationsOn('caller', findOrganizationFor('manage-modules'), spec)
const onNoSubject = operationsOn('caller', () => undefined, deprecated)
const onModuleId = operationsOn('caller', findModuleById, spec)
const onReadableModule = operationsOn('caller', findModuleBy(byFullName, 'read'), spec)
const onManagedModule = operationsOn('caller', findModuleBy(byFullName, 'manage'), spec)
const onModuleByShortName = operationsOn('caller', findModuleBy(byShortName, 'read'), deprecated)

/** Resources that the module list can include: no-code modules. */
const inclusions = inclusionsOf<Module>(
  {
    [noCodeType]: {
      find: ({ id }, { world }) => {
        const noCode = noCodeModuleOf(world, id)
        return noCode === undefined ? [] : [noCodeResource(noCode)]
      },
      relationship: noCodeType,
    },
  },
  [noCodeShape],
)

/** Filters of the module list, named as in the reference. */
const query = openQuery({
  q: described(text, 'Part of a name, namespace or provider'),
  'filter[provider]': text,
  'filter[registry_name]': text,
  'filter[organization_name]': text,
  ...inclusions.query,
})

type Filters = InputOf<typeof query>

function matches(module: Module, filters: Filters): boolean {
  const q = (filters.q ?? '').toLowerCase()
  const { name, namespace, provider } = module
  const passes = (filterValue: string | undefined, value: string) =>
    !filterValue || filterValue === value
  return (
    [name, namespace, provider].some((text) => text.toLowerCase().includes(q)) &&
    passes(filters['filter[provider]'], provider) &&
    passes(filters['filter[registry_name]'], module.registry_name) &&
    passes(filters['filter[organization_name]'], module.organization)
  )
}

function moduleAnswer({ context }: { readonly context: PlatformContext<Module> }) {
  return ok({ data: moduleResource(context, context.subject) })
}

function createdAnswer(context: PlatformContext<unknown>, module: Module) {
  return answer(201, { data: moduleResource(context, module) })
}

/**
 * Returns the organization into which a deprecated route publishes a module: the organization
 * `name` or, without a name, the organization whose connection has the token. Throws 404 if the
 * organization is unknown or the caller may not manage its modules, and 401 if the organization
 * does not accept the caller's kind of token.
 */
function organizationOf(
  { world, caller }: PlatformContext<unknown>,
  name: string | null,
  token: string | null,
): string {
  const byToken = token === null ? undefined : oauthClientOfToken(world, token)?.organization
  const organization = requireFound(name ?? byToken)
  checkRight(world, caller, organization, 'manage-modules')
  checkTokenKind(world, caller, organization)
  return organization
}

/** Operations that list the modules of an organization, and that create or publish modules. */
const collectionOperations = [
  onOrganization('GET', listPath, {
    id: 'listModules',
    summary: 'List the modules of an organization, by name.',
    query,
    reply: { 200: withExtraFields(listOf(moduleShape), inclusions.shape) },
    failures: [400],
    run: ({ context, query: filters }) => {
      const { world, subject, address } = context
      const included = inclusions.read(filters.include, context)
      const modules = modulesUnder(world, subject.name).filter((one) => matches(one, filters))
      const resourceOf = (one: Module) => included.add(one, moduleResource(context, one))
      const page = pageOf(modules, resourceOf, address)
      return ok({ ...page, ...included.members() })
    },
  }),
  onManagedOrganization('POST', listPath, {
    id: 'createModule',
    summary: 'Add a module without a repository; it is pending until a version is uploaded.',
    body: moduleForm,
    reply: { 201: moduleReply },
    run: ({ context, body }) => {
      const input = inState(body().attributes)
      return createdAnswer(context, createModule(context.world, context.subject.name, input))
    },
  }),
  onManagedOrganization('POST', `${listPath}/vcs`, {
    id: 'publishModule',
    summary: 'Add a module that comes from a repository, with its first version.',
    body: publicationForm,
    reply: { 201: moduleReply },
    run: ({ context, body }) => {
      const { publication } = parsePublication(body(), context.dialect)
      return createdAnswer(context, publishModule(context.world, context.subject.name, publication))
    },
  }),
  onNoSubject('POST', '/registry-modules', {
    id: 'publishModuleDeprecated',
    summary: 'Deprecated: add a module that comes from a repository, with its first version.',
    body: publicationForm,
    failures: [404],
    reply: { 201: moduleReply },
    run: ({ context, body }) => {
      const { publication, organization, oauthToken } = parsePublication(body(), context.dialect)
      const name = organizationOf(context, organization, oauthToken)
      return createdAnswer(context, publishModule(context.world, name, publication))
    },
  }),
]

/** Operations on one module, for each way to name it in a path. */
const moduleOperations = [
  onReadableModule('GET', onePath, {
    id: 'readModule',
    summary: 'Read a module.',
    reply: { 200: moduleReply },
    run: moduleAnswer,
  }),
  onModuleByShortName('GET', showPath, {
    id: 'readModuleDeprecated',
    summary: 'Deprecated: read a private module.',
    reply: { 200: moduleReply },
    run: moduleAnswer,
  }),
  onModuleId('GET', '/registry-modules/:module_id', {
    id: 'readModuleById',
    summary: 'Read a module by its id.',
    reply: { 200: moduleReply },
    run: moduleAnswer,
  }),
  onManagedModule('GET', `${onePath}/version`, {
    id: 'readModuleVersion',
    summary: 'Read a version of a module, with the upload address of its archive.',
    query: openQuery({ module_version: text }),
    reply: { 200: documentOf(versionShape) },
    run: ({ context, query: { module_version: number = '' } }) => {
      const version = requireFound(findModuleVersion(context.world, context.subject, number))
      return ok({ data: versionResource(version, context.subject, context) })
    },
  }),
  onModuleId('GET', `/registry-modules/:module_id/${bindingType}`, {
    id: 'readModuleTagBindings',
    summary: 'List the tags of a module with their values.',
    reply: { 200: unpagedListOf(bindingShape) },
    run: ({ context: { subject } }) =>
      ok({ data: bindingsOf(subject).map((one) => bindingResource(one)) }),
  }),
  onManagedModule('PATCH', onePath, {
    id: 'changeModule',
    summary: 'Change the tags of a module and how it is tested and published.',
    body: changeForm,
    reply: { 200: moduleReply },
    run: ({ context, body }) => {
      const { world, subject, dialect } = context
      const module = changeModule(world, subject, parseModuleChange(body(), dialect))
      return ok({ data: moduleResource(context, module) })
    },
  }),
]

/** Operations on registry modules, with current and deprecated routes. */
export const registryModuleOperations = [
  ...collectionOperations,
  ...moduleOperations,
  ...versionOperations,
]
