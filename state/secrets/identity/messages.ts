import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { callerErrorRefusals, commonMessages } from '../common-messages.ts'

export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...refusals('invalid', {
    'entity-id-unknown': 'entity not found from id',
    'entity-name-taken': 'entity name is already in use',
    'entity-ids-missing': 'missing entity ids to delete',
    'identity-policies-root': 'policies cannot contain root',
    'merge-target-missing': 'missing entity id to merge to',
    'merge-sources-missing': 'missing entity ids to merge from',
    'merge-target-unknown': 'entity id to merge to is invalid',
    'merge-source-unknown': 'entity id to merge from is invalid',
    'merge-into-itself': 'to_entity_id should not be present in from_entity_ids',
    'merge-one-at-a-time':
      'aliases conflicts cannot be resolved with multiple from entity ids - merge one entity at a time',
    'merge-accessor-repeated':
      'mount accessor {accessor} found in multiple fromEntities, merge should be done with one fromEntity at a time',
    'merge-clashes': '{clashes}',
    'merge-clash-undecided':
      'conflicting mount accessors in following alias IDs and neither were present in conflicting_alias_ids_to_keep: {fromAlias}, {toAlias}',
    'alias-factors-missing': "'id' or 'mount_accessor' and 'name' must be provided",
    'alias-id-unknown': 'invalid alias ID provided',
    'alias-entity-invalid': 'invalid canonical ID',
    'alias-entity-unknown': "given 'canonical_id' is not associated with an entity",
    'alias-exists': 'Alias already exists for requested entity and mount accessor',
    'alias-taken': 'alias with combination of mount accessor and name already exists',
    'alias-accessor-taken':
      "Alias cannot be updated as the entity already has an alias for the given 'mount_accessor' ",
    'alias-entity-has-one':
      'Alias cannot be updated as the given entity already has an alias for this mount ',
    'alias-local-stays': "local aliases can't be moved between entities",
    'mount-accessor-unknown': 'invalid mount accessor {accessor}',
    'group-id-empty': 'empty group ID',
    'group-name-empty': 'empty group name',
    'group-id-unknown': 'invalid group ID',
    'group-type-unknown': 'invalid group type {type}',
    'group-type-fixed': 'group type cannot be changed',
    'group-name-taken': 'group name is already in use',
    'group-external-entities': "member entities can't be set manually for external groups",
    'group-external-groups': "member groups can't be set for external groups",
    'group-circle': 'cyclic relationship detected for member group ID {id}',
    'group-alias-id-empty': 'empty group alias ID',
    'group-alias-id-unknown': 'invalid group alias ID',
    'group-alias-name-missing': 'missing alias name',
    'group-alias-accessor-missing': 'missing mount_accessor',
    'group-alias-group-unknown': "invalid group ID given in 'canonical_id'",
    'group-alias-internal': "alias can't be set on an internal group",
    'group-alias-taken': 'combination of mount and group alias name is already in use',
    'group-alias-local': 'mount accessor {accessor} is a local mount',
    'lookup-empty': 'query parameter not supplied',
    'lookup-conflict': 'query parameter conflict; please supply distinct set of query parameters',
    'lookup-half': "both 'alias_name' and 'alias_mount_accessor' needs to be set",
    'fixture-member-unknown': 'no member is called {name}',
    'fixture-method-unknown': 'no login method is mounted at {path}',
  }),
  ...callerErrorRefusals({
    'merge-secrets-clash': 'conflicting MFA config ID {method} in entity ID {entity}',
    'identity-metadata-invalid': 'invalid {of} metadata: {problem}',
    'group-entity-unknown': 'invalid entity ID {id}',
    'group-member-unknown': 'invalid member group ID {id}',
    'group-member-itself': 'member group ID {id} is same as the ID of the group',
  }),
  'alias-custom-metadata-invalid': {
    kind: 'invalid',
    text: '{problems}',
    detail: { internalInReference: true },
  },
  'identity-metadata-pairs': { text: 'metadata cannot contain more than {most} key/value pairs' },
  'identity-metadata-pair': { text: 'failed to load metadata pair ({key}, {value}): {problem}' },
  'identity-metadata-key-blank': { text: 'key cannot be blank' },
  'identity-metadata-key-characters': { text: 'key contains invalid characters' },
  'identity-metadata-key-long': { text: 'key is too long (limit: {most} characters)' },
  'identity-metadata-key-reserved': { text: 'key prefix {prefix} is reserved for internal use' },
  'identity-metadata-value-long': { text: 'value is too long (limit: {most} characters)' },
  'merge-clashes-head': {
    text: 'toEntity and at least one fromEntity have aliases with the same mount accessor, repeat the merge request specifying exactly one fromEntity, clashes: ',
  },
  'merge-clash': {
    text: 'mountAccessor: {accessor}, toEntity ID: {to}, fromEntity ID: {from}, conflicting toEntity alias ID: {toAlias}, conflicting fromEntity alias ID: {fromAlias}',
  },
  ...refusals('denied', {
    'alias-foreign-mount': 'matching mount is in a different namespace than request',
    'alias-foreign-accessor':
      'given mount accessor is not in the same namespace as the existing alias',
    'group-alias-foreign-mount':
      "mount referenced via 'mount_accessor' not in the same namespace as alias",
  }),
})
