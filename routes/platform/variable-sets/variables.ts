import {
  addVariableToSet,
  changeVariableOfSet,
} from '../../../state/platform/variable-sets/changes.ts'
import { variablesOf } from '../../../state/platform/variables/variables.ts'
import { ok } from '../../http/declare/operation.ts'
import { pageOf } from '../json-api/pagination.ts'
import { listOf } from '../json-api/resource.ts'
import { operationsOn } from '../operation.ts'
import { ownedVariableOperations } from '../variables/owned-variables.ts'
import { ownedVariable, ownedVariableShape } from '../variables/variable-resource.ts'
import { findManagedVariableSet, findVariableSet } from './scopes.ts'

const spec = 'behaviour/platform#variable-sets; behaviour/platform#workspace-variables'
const onSet = operationsOn('caller', findVariableSet, spec)
const path = '/varsets/:variable_set_id/relationships/vars'

/** Operations on the variables of variable sets. */
export const variableSetVariableOperations = [
  onSet('GET', path, {
    id: 'listVariableSetVariables',
    summary: 'List the variables of a set, oldest first.',
    reply: { 200: listOf(ownedVariableShape) },
    run: ({ context }) => {
      const variables = variablesOf(context.world, context.subject.id)
      return ok(pageOf(variables, (one) => ownedVariable(one, context), context.address))
    },
  }),
  ...ownedVariableOperations({
    path,
    name: 'VariableSet',
    noun: 'a set',
    spec,
    findReadable: findVariableSet,
    findWritable: findManagedVariableSet,
    create: addVariableToSet,
    change: changeVariableOfSet,
  }),
]
