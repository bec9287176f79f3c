import { any, bool, nullable, text, textOf } from '../../../state/kernel/shape/kinds.ts'
import { described, secret, struct } from '../../../state/kernel/shape/members.ts'
import {
  changeVariable,
  createVariable,
  findVariable,
  removeVariable,
  type Variable,
  variableAttributes,
  variablesOf,
} from '../../../state/platform/modules/variables.ts'
import { optionsOf } from '../../../state/platform/options.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { renderedJson } from '../dialect.ts'
import { attributeRenderer, blankable, optionalMembers } from '../json-api/attributes.ts'
import { pageText } from '../json-api/pagination.ts'
import { documentOf, documentText, listOf, resourceShape, selfLink } from '../json-api/resource.ts'
import { type BodyForm, operationsOn, type Scope } from '../operation.ts'
import { findModule, modulePath } from './module-scope.ts'

const type = 'vars'

const variableRenderer = attributeRenderer(variableAttributes)

const attributes = struct({
  ...variableRenderer.shape.fields,
  value: secret(described(nullable(text), 'Null when sensitive')),
  'version-id': textOf({ pattern: '^[0-9a-f]{64}$' }),
})

const shape = resourceShape(type, attributes, { links: selfLink })

/**
 * Cached JSON of a variable as everyone sees it, without a sensitive value
 * (behaviour/platform#variables).
 */
const variableJson = renderedJson<Variable>((variable) => {
  const { id, value, sensitive } = variable
  return {
    id,
    type,
    attributes: { ...variableRenderer.render(variable), value: sensitive ? null : value },
    links: { self: `/api/v2/vars/${id}` },
  }
})

const inputAttributes = optionalMembers({
  key: blankable,
  value: secret(blankable),
  description: blankable,
  category: blankable,
  sensitive: bool,
})
const inputAttributesWithHcl = optionalMembers({ ...inputAttributes.fields, hcl: bool })

/** Documented attributes. Attributes that are ignored may have any value. */
const documentedAttributes = optionalMembers({
  ...inputAttributes.fields,
  hcl: described(any, 'A boolean with the option `storeHcl`; else passed over'),
})

/**
 * Form of a variable's body. `hcl` only appears in responses, unless the world stores it
 * (behaviour/platform#differences).
 */
const form: BodyForm<typeof inputAttributesWithHcl> = {
  type,
  attributes: inputAttributesWithHcl,
  attributesInDialect: () => documentedAttributes,
  attributesInWorld: (world) =>
    optionsOf(world).storeHcl ? inputAttributesWithHcl : inputAttributes,
}

/**
 * Returns the variable in the path, which must belong to the module in the path. Throws 404
 * otherwise.
 */
function findNamedVariable(scope: Scope): Variable {
  return findVariable(scope.world, findModule(scope).id, scope.params['variable_id'] ?? '')
}

const spec = 'behaviour/platform#api-variables; behaviour/platform#variables'
const onModule = operationsOn('caller', findModule, spec)
const onVariable = operationsOn('caller', findNamedVariable, spec)

const listPath = `${modulePath}/vars` as const
const onePath = `${modulePath}/vars/:variable_id` as const

/** Operations on environment variables for a module's tests. */
export const variableOperations = [
  onModule('POST', listPath, {
    id: 'createTestVariable',
    summary: 'Add an environment variable to the tests of a module.',
    body: form,
    reply: { 201: documentOf(shape) },
    run: ({ context: { world, subject, dialect }, body }) => {
      const variable = createVariable(world, subject.id, body().attributes)
      return answer(201, documentText(variableJson(world, variable, dialect)))
    },
  }),
  onModule('GET', listPath, {
    id: 'listTestVariables',
    summary: "List the environment variables of a module's tests, oldest first.",
    reply: { 200: listOf(shape) },
    run: ({ context: { world, subject, address, dialect } }) => {
      const textOf = (variable: Variable) => variableJson(world, variable, dialect)
      return ok(pageText(variablesOf(world, subject.id), textOf, address))
    },
  }),
  onVariable('GET', onePath, {
    id: 'readTestVariable',
    summary: "Read an environment variable of a module's tests.",
    spec: 'behaviour/platform#variables',
    reply: { 200: documentOf(shape) },
    run: ({ context: { world, subject, dialect } }) =>
      ok(documentText(variableJson(world, subject, dialect))),
  }),
  onVariable('PATCH', onePath, {
    id: 'changeTestVariable',
    summary: "Change what is named of an environment variable of a module's tests.",
    body: { ...form, typeRequired: true },
    reply: { 200: documentOf(shape) },
    run: ({ context: { world, subject, dialect }, body }) => {
      const variable = changeVariable(world, subject, body().attributes)
      return ok(documentText(variableJson(world, variable, dialect)))
    },
  }),
  onVariable('DELETE', onePath, {
    id: 'deleteTestVariable',
    summary: "Delete an environment variable of a module's tests.",
    reply: { 204: null },
    run: ({ context }) => removeVariable(context.world, context.subject),
  }),
]
