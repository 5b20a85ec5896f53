/** Frameworks' scripts that an interpreter runs by file name (`php artisan`, `python manage.py`), and the tables' names for them. */
export const SCRIPT_PROGRAMS: ReadonlyMap<string, string> = new Map([
  ["artisan", "artisan"],
  ["console", "console"],
  ["spark", "spark"],
  ["craft", "craft"],
  ["please", "please"],
  ["manage.py", "manage"],
  ["rails", "rails"],
  ["rake", "rake"],
  ["wp", "wp"],
  ["wp-cli.phar", "wp"],
  ["drush", "drush"],
  ["magento", "magento"],
  ["occ", "occ"],
  ["composer.phar", "composer"],
]);
