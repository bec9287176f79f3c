import { type Json, membersOf } from './names.ts'

const member = (value: Json, name: string): Json =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

const items = (value: Json): readonly Json[] => (Array.isArray(value) ? value : [])

const methods = new Set(['get', 'put', 'post', 'patch', 'delete', 'head', 'options', 'trace'])

/** Returns the parts of an OpenAPI document that clients depend on, one line per operation. */
export function operationsOfDocument(document: Json): string[] {
  return membersOf(member(document, 'paths'))
    .flatMap(([path, item]) =>
      membersOf(item)
        .filter(([method]) => methods.has(method))
        .map(([method, operation]) => {
          const parameters = [
            ...items(member(item, 'parameters')),
            ...items(member(operation, 'parameters')),
          ].map((each) => `${member(each, 'in')} ${member(each, 'name') ?? member(each, '$ref')}`)
          const statuses = membersOf(member(operation, 'responses')).map(([status]) => status)
          const id = member(operation, 'operationId')
          return [method, path, id, parameters.sort().join(','), statuses.sort().join(',')].join(
            ' ',
          )
        }),
    )
    .sort()
}

/** Returns the operations that `/_mock/coverage` lists, one line each. */
export function operationsOfCoverage(coverage: Json): string[] {
  const services = [
    ...items(member(coverage, 'services')),
    { name: 'control', operations: member(member(coverage, 'control'), 'operations') },
  ]
  return services
    .flatMap((service) =>
      items(member(service, 'operations')).map((operation) =>
        [
          member(service, 'name'),
          member(operation, 'id'),
          member(operation, 'verb'),
          member(operation, 'path'),
        ].join(' '),
      ),
    )
    .sort()
}
