import { compileGoRegex, RegexError } from '../../go/regex.ts'
import { renderMessage } from '../../kernel/message.ts'
import { refuse } from '../messages.ts'
import {
  InterpolationError,
  type InterpolationScope,
  interpolate,
  parseInterpolation,
} from './interpolation.ts'
import type { PreparedQuery, ServiceQuery } from './tables.ts'

type Template = Pick<PreparedQuery, 'name' | 'template' | 'service'>

/**
 * Applies `map` to those strings in a query's service part that may contain template expressions.
 *
 * @param map also receives the path of the string, such as `.Tags[0]`
 */
function mapTexts(
  service: ServiceQuery,
  map: (text: string, location: string) => string,
): ServiceQuery {
  const texts = (location: string, list: readonly string[] | null) =>
    list?.map((text, at) => map(text, `${location}[${at}]`)) ?? null
  const values = (location: string, members: Readonly<Record<string, string>> | null) =>
    members === null
      ? null
      : Object.fromEntries(
          Object.entries(members).map(([key, text]) => [key, map(text, `${location}[${key}]`)]),
        )
  const { Failover } = service
  return {
    ...service,
    Service: map(service.Service, '.Service'),
    Failover: { ...Failover, Datacenters: texts('.Failover.Datacenters', Failover.Datacenters) },
    IgnoreCheckIDs: texts('.IgnoreCheckIDs', service.IgnoreCheckIDs),
    Near: map(service.Near, '.Near'),
    Tags: texts('.Tags', service.Tags),
    NodeMeta: values('.NodeMeta', service.NodeMeta),
    ServiceMeta: values('.ServiceMeta', service.ServiceMeta),
    Peer: map(service.Peer, '.Peer'),
  }
}

function templateError(problem: string): Error {
  return refuse('query-refused', { problem: `failed compiling template: ${problem}` })
}

function regexOf(text: string) {
  try {
    return compileGoRegex(text)
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    throw templateError(`Bad Regexp: ${renderMessage(error.reason)}`)
  }
}

/**
 * Renders the service part of a template for the name that a request uses (behaviour/mesh#queries).
 * Throws a refusal if the regular expression is invalid or a string cannot be rendered.
 */
export function renderTemplate(
  { name: prefix, template, service }: Template,
  name: string,
): ServiceQuery {
  const { Regexp, RemoveEmptyTags } = template
  const groups = Regexp === '' ? undefined : regexOf(Regexp).find(name)
  const scope: InterpolationScope = {
    variables: new Map([
      ['name.full', name],
      ['name.prefix', prefix],
      ['name.suffix', name.startsWith(prefix) ? name.slice(prefix.length) : name],
      ['agent.segment', ''],
    ]),
    match: (group) => groups?.[group] ?? '',
  }
  const renderedService = mapTexts(service, (text, location) => {
    try {
      return interpolate(parseInterpolation(text), scope)
    } catch (error) {
      if (!(error instanceof InterpolationError)) throw error
      const start = error.isMalformed ? 'Bad format' : 'Bad evaluation for'
      throw templateError(`${start} '${text}' in Service${location}: ${error.message}`)
    }
  })
  if (!RemoveEmptyTags) return renderedService
  return { ...renderedService, Tags: (renderedService.Tags ?? []).filter((tag) => tag !== '') }
}

/**
 * Throws a refusal if the type of a template is unknown or one of its strings cannot be rendered.
 */
export function validateTemplate(query: Template): void {
  const { Type } = query.template
  if (Type !== 'name_prefix_match') throw templateError(`Bad Template.Type '${Type}'`)
  renderTemplate(query, query.name)
}
