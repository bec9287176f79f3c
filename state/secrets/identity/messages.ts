import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages, raised } from '../common-messages.ts'

/** Messages of the identity store (behaviour/secrets#identity). */
export const {
  table: identityTexts,
  message,
  refuse,
} = defineMessages({
  ...commonMessages,
  'entity-id-unknown': { kind: 'invalid', text: 'entity not found from id' },
  'entity-name-taken': { kind: 'invalid', text: 'entity name is already in use' },
  'entity-ids-missing': { kind: 'invalid', text: 'missing entity ids to delete' },
  'identity-policies-root': { kind: 'invalid', text: 'policies cannot contain root' },
  'identity-metadata-invalid': {
    kind: 'invalid',
    text: 'invalid {of} metadata: {fault}',
    detail: raised,
  },
  'identity-metadata-pairs': { text: 'metadata cannot contain more than {most} key/value pairs' },
  'identity-metadata-pair': { text: 'failed to load metadata pair ({key}, {value}): {fault}' },
  'identity-metadata-key-blank': { text: 'key cannot be blank' },
  'identity-metadata-key-characters': { text: 'key contains invalid characters' },
  'identity-metadata-key-long': { text: 'key is too long (limit: {most} characters)' },
  'identity-metadata-key-reserved': { text: 'key prefix {prefix} is reserved for internal use' },
  'identity-metadata-value-long': { text: 'value is too long (limit: {most} characters)' },
  'merge-target-missing': { kind: 'invalid', text: 'missing entity id to merge to' },
  'merge-sources-missing': { kind: 'invalid', text: 'missing entity ids to merge from' },
  'merge-target-unknown': { kind: 'invalid', text: 'entity id to merge to is invalid' },
  'merge-source-unknown': { kind: 'invalid', text: 'entity id to merge from is invalid' },
  'merge-into-itself': {
    kind: 'invalid',
    text: 'to_entity_id should not be present in from_entity_ids',
  },
  'merge-one-at-a-time': {
    kind: 'invalid',
    text: 'aliases conflicts cannot be resolved with multiple from entity ids - merge one entity at a time',
  },
  'merge-accessor-repeated': {
    kind: 'invalid',
    text: 'mount accessor {accessor} found in multiple fromEntities, merge should be done with one fromEntity at a time',
  },
  'merge-clashes': { kind: 'invalid', text: '{clashes}' },
  'merge-clashes-head': {
    text: 'toEntity and at least one fromEntity have aliases with the same mount accessor, repeat the merge request specifying exactly one fromEntity, clashes: ',
  },
  'merge-clash': {
    text: 'mountAccessor: {accessor}, toEntity ID: {to}, fromEntity ID: {from}, conflicting toEntity alias ID: {toAlias}, conflicting fromEntity alias ID: {fromAlias}',
  },
  'merge-clash-undecided': {
    kind: 'invalid',
    text: 'conflicting mount accessors in following alias IDs and neither were present in conflicting_alias_ids_to_keep: {fromAlias}, {toAlias}',
  },
  'alias-factors-missing': {
    kind: 'invalid',
    text: "'id' or 'mount_accessor' and 'name' must be provided",
  },
  'alias-id-unknown': { kind: 'invalid', text: 'invalid alias ID provided' },
  'alias-entity-invalid': { kind: 'invalid', text: 'invalid canonical ID' },
  'alias-entity-unknown': {
    kind: 'invalid',
    text: "given 'canonical_id' is not associated with an entity",
  },
  'alias-exists': {
    kind: 'invalid',
    text: 'Alias already exists for requested entity and mount accessor',
  },
  'alias-taken': {
    kind: 'invalid',
    text: 'alias with combination of mount accessor and name already exists',
  },
  'alias-accessor-taken': {
    kind: 'invalid',
    text: "Alias cannot be updated as the entity already has an alias for the given 'mount_accessor' ",
  },
  'alias-entity-has-one': {
    kind: 'invalid',
    text: 'Alias cannot be updated as the given entity already has an alias for this mount ',
  },
  'alias-local-stays': { kind: 'invalid', text: "local aliases can't be moved between entities" },
  'alias-foreign-mount': {
    kind: 'denied',
    text: 'matching mount is in a different namespace than request',
  },
  'alias-foreign-accessor': {
    kind: 'denied',
    text: 'given mount accessor is not in the same namespace as the existing alias',
  },
  'mount-accessor-unknown': { kind: 'invalid', text: 'invalid mount accessor {accessor}' },
  'group-id-empty': { kind: 'invalid', text: 'empty group ID' },
  'group-id-unknown': { kind: 'invalid', text: 'invalid group ID' },
  'group-type-unknown': { kind: 'invalid', text: 'invalid group type {type}' },
  'group-type-fixed': { kind: 'invalid', text: 'group type cannot be changed' },
  'group-name-taken': { kind: 'invalid', text: 'group name is already in use' },
  'group-external-entities': {
    kind: 'invalid',
    text: "member entities can't be set manually for external groups",
  },
  'group-external-groups': {
    kind: 'invalid',
    text: "member groups can't be set for external groups",
  },
  'group-entity-unknown': { kind: 'invalid', text: 'invalid entity ID {id}', detail: raised },
  'group-member-unknown': { kind: 'invalid', text: 'invalid member group ID {id}', detail: raised },
  'group-member-itself': {
    kind: 'invalid',
    text: 'member group ID {id} is same as the ID of the group',
    detail: raised,
  },
  'group-circle': {
    kind: 'invalid',
    text: 'cyclic relationship detected for member group ID {id}',
  },
  'group-alias-id-empty': { kind: 'invalid', text: 'empty group alias ID' },
  'group-alias-id-unknown': { kind: 'invalid', text: 'invalid group alias ID' },
  'group-alias-name-missing': { kind: 'invalid', text: 'missing alias name' },
  'group-alias-accessor-missing': { kind: 'invalid', text: 'missing mount_accessor' },
  'group-alias-group-unknown': {
    kind: 'invalid',
    text: "invalid group ID given in 'canonical_id'",
  },
  'group-alias-internal': { kind: 'invalid', text: "alias can't be set on an internal group" },
  'group-alias-taken': {
    kind: 'invalid',
    text: 'combination of mount and group alias name is already in use',
  },
  'group-alias-local': { kind: 'invalid', text: 'mount accessor {accessor} is a local mount' },
  'group-alias-foreign-mount': {
    kind: 'denied',
    text: "mount referenced via 'mount_accessor' not in the same namespace as alias",
  },
  'lookup-empty': { kind: 'invalid', text: 'query parameter not supplied' },
  'lookup-conflict': {
    kind: 'invalid',
    text: 'query parameter conflict; please supply distinct set of query parameters',
  },
  'lookup-half': {
    kind: 'invalid',
    text: "both 'alias_name' and 'alias_mount_accessor' needs to be set",
  },
  'fixture-member-unknown': { kind: 'invalid', text: 'no member is called {name}' },
  'fixture-method-unknown': { kind: 'invalid', text: 'no login method is mounted at {path}' },
})
