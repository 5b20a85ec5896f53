import type { VerbProgram } from "./types.ts";

/** Task runners of web frameworks and migration tools (reference: shell.md §6, "Databases"). */
export const FRAMEWORK_PROGRAMS: readonly VerbProgram[] = [
  {
    family: "rails",
    names: "rails rake gitlab-rails gitlab-rake",
    valued: "-f -r -e -I --rakefile --trace",
    rows: [
      {
        id: "task",
        operand:
          /^(?:db:(?:drop|reset|purge|migrate:reset|rollback|truncate_all|seed:replant|schema:load|structure:load|setup)(?::\w+)?|(?:\w+:)?(?:clobber|clean|destroy|uninstall|wipe|nuke))$/,
        example: "bundle exec rake db:drop",
        clear: "rails db:migrate",
      },
      {
        id: "runner",
        verbs: "runner|r",
        operand: /\b(?:destroy|delete|drop|truncate|update)_?(?:all|table|database)?\b|\b(?:system|exec|eval|unlink|rm_rf)\b|`/,
        verdict: "unverifiable",
        example: "rails runner 'User.destroy_all'",
        clear: "rails runner 'puts User.count'",
      },
      { id: "destroy", verbs: "destroy|d", example: "rails destroy model User", clear: "rails generate model User" },
    ],
  },
  {
    family: "artisan",
    names: "artisan console spark craft please sail symfony",
    rows: [
      {
        id: "command",
        operand:
          /^(?:migrate:(?:fresh|reset|refresh|rollback)|db:wipe|queue:(?:flush|clear)|doctrine:(?:database:drop|schema:drop|fixtures:load|query:sql|schema:update)|horizon:terminate|[\w-]+:(?:delete|destroy|drop|purge|wipe|prune|truncate))(?:-\w+)?$/,
        example: "php artisan migrate:fresh",
        clear: "php artisan migrate:status",
      },
      {
        id: "code",
        options: "--execute",
        verdict: "unverifiable",
        example: "php artisan tinker --execute='x'",
        clear: "php artisan route:list",
      },
    ],
  },
  {
    family: "django",
    names: "django-admin manage",
    rows: [
      {
        id: "flush",
        verbs: "flush|reset_db|sqlclear|reset_schema|clear_cache|delete_*|remove_stale_contenttypes|clearsessions",
        example: "python manage.py flush --noinput",
        clear: "python manage.py migrate",
      },
      {
        id: "migrate-zero",
        verbs: "migrate * zero",
        example: "python manage.py migrate shop zero",
        clear: "python manage.py migrate shop 0002",
      },
      {
        id: "shell",
        verbs: "shell|shell_plus|dbshell",
        options: "-c --command",
        verdict: "unverifiable",
        example: "python manage.py shell -c 'x()'",
        clear: "python manage.py check",
      },
    ],
  },
  {
    family: "go-migrate",
    names: "migrate",
    single: true,
    valued: "-path -database -source -prefetch -lock-timeout",
    rows: [{ id: "down", verbs: "down|drop|force", example: "migrate -path db -database x down", clear: "migrate -path db up" }],
  },
  {
    family: "migrate",
    names:
      "prisma drizzle-kit knex sequelize sequelize-cli typeorm flyway liquibase alembic goose dbmate sqlx diesel atlas-migrate refinery mix doctrine-migrations phinx yoyo sqitch tern hasura strapi medusa payload flask",
    valued: "-c --config --url -u --env -e --schema -d --dir -path -database --dialect",
    rows: [
      {
        id: "reset",
        verbs: "migrate|migration|migrations|database|db|schema reset|down|downgrade|drop|revert|rollback|undo|fresh|refresh|clean|redo",
        example: "prisma migrate reset --force",
        clear: "prisma migrate status",
      },
      {
        id: "verb",
        verbs:
          "drop|down|reset|rollback|clean|dropall|drop-all|downgrade|revert|undo|redo|fresh|rollback-one-changeset|rollback-count|update-testing-rollback",
        example: "alembic downgrade base",
        clear: "alembic upgrade head",
      },
      {
        id: "task",
        operand:
          /^(?:db:(?:drop|reset|migrate:undo(?::all)?|seed:undo(?::all)?)|migrat(?:e|ion):(?:rollback|down|revert|undo|reset|drop|fresh)|schema:(?:drop|sync)|ecto\.(?:drop|reset|rollback)|phx\.gen\.undo)$/,
        example: "mix ecto.drop",
        clear: "mix ecto.migrate",
      },
      {
        id: "push-force",
        verbs: "db|push push|*",
        options: "--force-reset --accept-data-loss",
        example: "prisma db push --accept-data-loss",
        clear: "prisma db pull",
      },
      { id: "push", verbs: "push", options: "--force", example: "drizzle-kit push --force", clear: "drizzle-kit generate" },
    ],
  },
  {
    family: "cms",
    names: "wp drush magento occ drupal",
    valued: "--path --url --user -r -l",
    rows: [
      {
        id: "group",
        verbs: "* delete|reset|drop|clean|destroy|uninstall|flush|empty|truncate|remove",
        example: "wp db reset --yes",
        clear: "wp db check",
      },
      {
        id: "drush",
        verbs: "sql-drop|sql:drop|site-install|site:install|si|pm:uninstall|pmu|entity:delete|config:delete|sql:query|sqlq|php:eval|ev",
        example: "drush sql-drop -y",
        clear: "drush status",
      },
      { id: "code", verbs: "eval|eval-file|shell", verdict: "unverifiable", example: "wp eval 'x();'", clear: "wp plugin list" },
    ],
  },
];
