-- The second wall, as for every table of a tenant.
ALTER TABLE questions ENABLE ROW LEVEL SECURITY;
ALTER TABLE questions FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON questions USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
ALTER TABLE checkpoints ENABLE ROW LEVEL SECURITY;
ALTER TABLE checkpoints FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON checkpoints USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
