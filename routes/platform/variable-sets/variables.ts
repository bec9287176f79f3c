import {
  addVariableToSet,
  changeVariableOfSet,
} from '../../../state/platform/variable-sets/changes.ts'
import { variablesOf } from '../../../state/platform/variables/variables.ts'
import { operationsOn } from '../operation.ts'
import { ownedVariableOperations, variableRendering } from '../variables/owned-variables.ts'
import { findManagedVariableSet, findVariableSet } from './scopes.ts'

const spec = 'behaviour/platform#variable-sets; behaviour/platform#workspace-variables'
const onVariableSet = operationsOn('caller', findVariableSet, spec)
const path = '/varsets/:variable_set_id/relationships/vars'

export const variableSetVariableOperations = [
  onVariableSet.page(path, variableRendering, {
    id: 'listVariableSetVariables',
    summary: 'List the variables of a set, oldest first.',
    run: ({ context }) => variablesOf(context.world, context.subject.id),
  }),
  ...ownedVariableOperations({
    path,
    name: 'VariableSetVariable',
    nouns: ['a variable', 'a set'],
    spec,
    findReadable: findVariableSet,
    findWritable: findManagedVariableSet,
    create: addVariableToSet,
    change: changeVariableOfSet,
  }),
]
