-- The second wall, as for every table of a tenant.
ALTER TABLE sections ENABLE ROW LEVEL SECURITY;
ALTER TABLE sections FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON sections USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
ALTER TABLE section_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE section_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON section_versions USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
