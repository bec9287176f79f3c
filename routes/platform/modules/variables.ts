import { any, constant } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { optionsOf } from '../../../state/platform/options.ts'
import {
  changeVariable,
  createVariable,
  findVariable,
  removeVariable,
  type Variable,
  variablesOf,
} from '../../../state/platform/variables/variables.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { renderedJson } from '../dialect.ts'
import { optionalMembers } from '../json-api/attributes.ts'
import { pageText } from '../json-api/pagination.ts'
import { documentOf, documentText, listOf, resourceShape, selfLink } from '../json-api/resource.ts'
import { type BodyForm, operationsOn, type Scope } from '../operation.ts'
import {
  renderVariable,
  variableInput,
  variableShape,
  variableType,
} from '../variables/variable-resource.ts'
import { findModule, modulePath } from './module-scope.ts'

const shape = resourceShape(
  variableType,
  struct({ ...variableShape.fields, category: constant('env') }),
  { links: selfLink },
)

/**
 * Cached JSON of a variable as everyone sees it, without a sensitive value
 * (behaviour/platform#variables).
 */
const variableJson = renderedJson<Variable>((variable) => ({
  id: variable.id,
  type: variableType,
  attributes: renderVariable(variable),
  links: { self: `/api/v2/vars/${variable.id}` },
}))

const { hcl: _, ...inputFields } = variableInput.fields
const inputAttributes = optionalMembers(inputFields)

/**
 * Attributes as the OpenAPI document describes them. An attribute that is ignored may have any
 * value.
 */
const documentedAttributes = optionalMembers({
  ...inputAttributes.fields,
  hcl: described(any, 'Boolean with the option `storeHcl`; otherwise ignored'),
})

/**
 * Form of a variable's body. `hcl` is ignored unless the option `storeHcl` is set
 * (behaviour/platform#differences).
 */
const form: BodyForm<typeof variableInput> = {
  type: variableType,
  attributes: variableInput,
  attributesInDialect: () => documentedAttributes,
  attributesInWorld: (world) => (optionsOf(world).storeHcl ? variableInput : inputAttributes),
}

/**
 * Returns the variable in the path. Throws 404 if the variable does not belong to the module in the
 * path, and the refusals of `findModule`.
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
    summary: "Change the given attributes of an environment variable of a module's tests.",
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
    run: ({ context }) => removeVariable(context.world, context.subject),
  }),
]
